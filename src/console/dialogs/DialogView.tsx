/** The innermost dialog, over whatever screen is in view. */
import type { ReactNode } from 'react';
import { useUi } from '../components/context.ts';
import { topDialog } from '../state/ui.ts';
import { BotFormView } from './BotFormView.tsx';
import { BotRuleView } from './BotRuleView.tsx';
import { BotStopView } from './BotStopView.tsx';
import { BotTagView } from './BotTagView.tsx';
import { ConfirmView } from './ConfirmView.tsx';
import { KeyFormView } from './KeyFormView.tsx';
import { MaintenanceFormView } from './MaintenanceFormView.tsx';
import { HelpView, NoticeView, QuitView } from './NoticeView.tsx';
import { PaletteView } from './PaletteView.tsx';
import { PositionFormView } from './PositionFormView.tsx';
import { SplitView } from './SplitView.tsx';
import { TicketView } from './TicketView.tsx';

export interface Room {
  readonly width: number;
  readonly height: number;
}

export function DialogView({ width, height }: Room): ReactNode {
  const dialog = useUi(topDialog);
  const room: Room = { width, height };
  switch (dialog?.kind) {
    case undefined:
      return null;
    case 'ticket':
      return <TicketView dialog={dialog} room={room} />;
    case 'confirm':
      return <ConfirmView dialog={dialog} room={room} />;
    case 'split':
      return <SplitView dialog={dialog} room={room} />;
    case 'position-form':
      return <PositionFormView dialog={dialog} room={room} />;
    case 'key-form':
      return <KeyFormView dialog={dialog} room={room} />;
    case 'maintenance-form':
      return <MaintenanceFormView dialog={dialog} room={room} />;
    case 'bot-form':
      return <BotFormView dialog={dialog} room={room} />;
    case 'bot-stop':
      return <BotStopView dialog={dialog} room={room} />;
    case 'bot-rule':
      return <BotRuleView dialog={dialog} room={room} />;
    case 'bot-tag':
      return <BotTagView dialog={dialog} room={room} />;
    case 'notice':
      return <NoticeView dialog={dialog} room={room} />;
    case 'palette':
      return <PaletteView dialog={dialog} room={room} />;
    case 'help':
      return <HelpView dialog={dialog} room={room} />;
    case 'quit':
      return <QuitView dialog={dialog} room={room} />;
  }
}
