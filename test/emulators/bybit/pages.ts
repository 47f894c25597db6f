/**
 * Fields of a row in the examples of the official pages (bybit-exchange/docs at 072c197, docs/v5/NAME.mdx),
 * by name only. The test that reads this adds fields that a page's table names but its example leaves out.
 */
export const PAGE_FIELDS = {
  'order/open-order':
    'avgPrice blockTradeId cancelType closeOnTrigger createdTime cumExecFee cumExecQty cumExecValue cumFeeDetail isLeverage lastPriceOnCreated leavesQty leavesValue orderId orderIv orderLinkId orderStatus orderType placeType positionIdx price qty reduceOnly rejectReason side slLimitPrice slTriggerBy smpGroup smpOrderId smpType stopLoss stopOrderType symbol takeProfit timeInForce tpLimitPrice tpTriggerBy tpslMode triggerBy triggerDirection triggerPrice updatedTime',
  'order/order-list':
    'avgPrice blockTradeId cancelType closeOnTrigger createdTime cumExecFee cumExecQty cumExecValue cumFeeDetail extraFees isLeverage lastPriceOnCreated leavesQty leavesValue orderId orderIv orderLinkId orderStatus orderType placeType positionIdx price qty reduceOnly rejectReason rpiMatchedQty rpiTakerAccess side slLimitPrice slTriggerBy slippageTolerance slippageToleranceType smpGroup smpOrderId smpType stopLoss stopOrderType symbol takeProfit timeInForce tpLimitPrice tpTriggerBy tpslMode triggerBy triggerDirection triggerPrice updatedTime',
  'order/execution':
    'blockTradeId closedSize execFee execId execPrice execQty execTime execType execValue extraFees feeCurrency feeRate indexPrice isMaker leavesQty markIv markPrice orderId orderLinkId orderPrice orderQty orderType seq side stopOrderType symbol tradeIv underlyingPrice',
  'position/position':
    'adlRankIndicator autoAddMargin avgPrice breakEvenPrice bustPrice createdTime cumRealisedPnl curRealisedPnl isReduceOnly leverage leverageSysUpdatedTime liqPrice markPrice mmrSysUpdateTime positionBalance positionIM positionIMByMp positionIdx positionMM positionMMByMp positionStatus positionValue riskId riskLimitValue seq sessionAvgPrice side size stopLoss symbol takeProfit tpslMode tradeMode trailingStop unrealisedPnl updatedTime',
  'position/close-pnl':
    'avgEntryPrice avgExitPrice closedPnl closedSize createdTime cumEntryValue cumExitValue execType fillCount leverage orderId orderPrice orderType qty side symbol updatedTime',
  'account/wallet-balance':
    'accountIMRate accountIMRateByMp accountLTV accountMMRate accountMMRateByMp accountType totalAvailableBalance totalEquity totalInitialMargin totalInitialMarginByMp totalMaintenanceMargin totalMaintenanceMarginByMp totalMarginBalance totalPerpUPL totalWalletBalance',
  'account/wallet-balance coin':
    'accruedInterest availableToBorrow availableToWithdraw bonus borrowAmount coin collateralSwitch cumRealisedPnl equity locked marginCollateral spotBorrow spotHedgingQty totalOrderIM totalPositionIM totalPositionMM unrealisedPnl usdValue walletBalance',
  'account/transaction-log':
    'bonusChange cashBalance cashFlow category change currency extraFees fee feeRate funding id orderId orderLinkId qty side size symbol tradeId tradePrice transSubType transactionTime type',
  'account/fee-rate': 'makerFeeRate symbol takerFeeRate',
  'account/account-info':
    'dcpStatus isMasterTrader marginMode smpGroup spotHedgingStatus timeWindow unifiedMarginStatus updatedTime',
  'market/instrument linear':
    'baseCoin contractType copyTrading deliveryFeeRate deliveryTime fundingInterval isPreListing launchTime leverageFilter lotSizeFilter lowerFundingRate preListingInfo priceFilter priceScale quoteCoin riskParameters settleCoin status symbol symbolId symbolType unifiedMarginTrade upperFundingRate',
  'market/instrument spot':
    'baseCoin innovation lotSizeFilter marginTrading priceFilter quoteCoin riskParameters stTag status symbol symbolId symbolType',
  'market/tickers spot':
    'ask1Price ask1Size bid1Price bid1Size highPrice24h lastPrice lowPrice24h prevPrice24h price24hPcnt symbol turnover24h usdIndexPrice volume24h',
  'market/recent-trade': 'execId isBlockTrade isRPITrade price seq side size symbol time',
  'market/orderbook': 'a b cts s seq ts u',
  'market/risk-limit':
    'id initialMargin isLowestRisk maintenanceMargin maxLeverage mmDeduction riskLimitValue symbol',
  'websocket/private/order':
    'avgPrice blockTradeId cancelType category closeOnTrigger closedPnl createdTime cumExecFee cumExecQty cumExecValue cumFeeDetail feeCurrency lastPriceOnCreated leavesQty leavesValue orderId orderIv orderLinkId orderStatus orderType placeType positionIdx price qty reduceOnly rejectReason rpiMatchedQty rpiTakerAccess side slLimitPrice slTriggerBy smpGroup smpOrderId smpType stopLoss stopOrderType symbol takeProfit timeInForce tpLimitPrice tpTriggerBy tpslMode triggerBy triggerDirection triggerPrice updatedTime',
  'websocket/private/execution':
    'blockTradeId category closedSize createType execFee execId execPnl execPrice execQty execTime execType execValue extraFees feeCurrency feeRate indexPrice isLeverage isMaker leavesQty markIv markPrice marketUnit orderId orderLinkId orderPrice orderQty orderType seq side stopOrderType symbol tradeIv underlyingPrice',
  'websocket/private/position':
    'adlRankIndicator autoAddMargin breakEvenPrice bustPrice category createdTime cumRealisedPnl curRealisedPnl entryPrice isReduceOnly leverage leverageSysUpdatedTime liqPrice markPrice mmrSysUpdatedTime positionBalance positionIM positionIMByMp positionIdx positionMM positionMMByMp positionStatus positionValue riskId riskLimitValue seq sessionAvgPrice side size stopLoss symbol takeProfit tpslMode tradeMode trailingStop unrealisedPnl updatedTime',
  'websocket/private/wallet':
    'accountIMRate accountIMRateByMp accountLTV accountMMRate accountMMRateByMp accountType totalAvailableBalance totalEquity totalInitialMargin totalInitialMarginByMp totalMaintenanceMargin totalMaintenanceMarginByMp totalMarginBalance totalPerpUPL totalWalletBalance',
  'websocket/public/ticker linear':
    'ask1Price ask1Size bid1Price bid1Size curPreListingPhase fundingCap fundingIntervalHour fundingRate highPrice24h indexPrice lastPrice lowPrice24h markPrice nextFundingTime openInterest openInterestValue preOpenPrice preQty prevPrice1h prevPrice24h price24hPcnt symbol tickDirection turnover24h volume24h',
  'websocket/public/ticker spot':
    'highPrice24h lastPrice lowPrice24h prevPrice24h price24hPcnt symbol turnover24h usdIndexPrice volume24h',
  'websocket/public/trade': 'BT L S T i p s seq v',
  'websocket/public/kline': 'close confirm end high interval low open start timestamp turnover volume',
} as const;
