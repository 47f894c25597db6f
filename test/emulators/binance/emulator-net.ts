/** The virtual network of the kit, which serves the emulator of Binance like any other. */
export { EmulatorNet, type NetFaults } from '../kit/emulator-net.ts';
