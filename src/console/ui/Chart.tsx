/** Charts on the screen: exactly as wide and high as given, blank where there is nothing to draw. */
import type { ReactNode } from 'react';
import { type LineChart as LineChartOptions, lineChart } from './chart-line.ts';
import { type PriceChart as PriceChartOptions, priceChart } from './chart-price.ts';
import { Rows } from './Row.tsx';

/** Candles with levels, marks and crosshair. */
export function PriceChart(props: PriceChartOptions): ReactNode {
  return <Rows lines={priceChart(props)} width={props.width} height={props.height} />;
}

/** A line over time. */
export function LineChart(props: LineChartOptions): ReactNode {
  return <Rows lines={lineChart(props)} width={props.width} height={props.height} />;
}
