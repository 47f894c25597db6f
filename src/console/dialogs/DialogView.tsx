/** The innermost dialog, over whatever screen is in view. */
import type { ReactNode } from 'react';
import { useUi } from '../components/context.ts';
import { topDialog } from '../state/ui.ts';
import { AccountFormView } from './AccountFormView.tsx';
import { BotEditorView } from './BotEditorView.tsx';
import { BotFormView } from './BotFormView.tsx';
import { BotRuleView } from './BotRuleView.tsx';
import { BotStopView } from './BotStopView.tsx';
import { BotTagView } from './BotTagView.tsx';
import { BotTypeView } from './BotTypeView.tsx';
import { ConfirmView } from './ConfirmView.tsx';
import { DustFormView } from './DustFormView.tsx';
import { HelpView } from './HelpView.tsx';
import { KeyFormView } from './KeyFormView.tsx';
import { LabView } from './LabView.tsx';
import { MaintenanceFormView } from './MaintenanceFormView.tsx';
import { MuteView } from './MuteView.tsx';
import { NoticeView, QuitView } from './NoticeView.tsx';
import { PaletteView } from './PaletteView.tsx';
import { PanicRunView, PanicView } from './PanicView.tsx';
import { PositionFormView } from './PositionFormView.tsx';
import { SplitView } from './SplitView.tsx';
import { TicketView } from './TicketView.tsx';
import { VaultFormView } from './VaultFormView.tsx';

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
    case 'lab-form':
      return <LabView dialog={dialog} room={room} />;
    case 'account-form':
      return <AccountFormView dialog={dialog} room={room} />;
    case 'dust-form':
      return <DustFormView dialog={dialog} room={room} />;
    case 'key-form':
      return <KeyFormView dialog={dialog} room={room} />;
    case 'maintenance-form':
      return <MaintenanceFormView dialog={dialog} room={room} />;
    case 'vault-form':
      return <VaultFormView dialog={dialog} room={room} />;
    case 'bot-form':
      return <BotFormView dialog={dialog} room={room} />;
    case 'bot-type':
      return <BotTypeView dialog={dialog} room={room} />;
    case 'bot-editor':
      return <BotEditorView dialog={dialog} room={room} />;
    case 'bot-stop':
      return <BotStopView dialog={dialog} room={room} />;
    case 'bot-rule':
      return <BotRuleView dialog={dialog} room={room} />;
    case 'bot-tag':
      return <BotTagView dialog={dialog} room={room} />;
    case 'notice':
      return <NoticeView dialog={dialog} room={room} />;
    case 'alert-mute':
      return <MuteView dialog={dialog} room={room} />;
    case 'panic':
      return <PanicView dialog={dialog} room={room} />;
    case 'panic-run':
      return <PanicRunView dialog={dialog} room={room} />;
    case 'palette':
      return <PaletteView dialog={dialog} room={room} />;
    case 'help':
      return <HelpView dialog={dialog} room={room} />;
    case 'quit':
      return <QuitView dialog={dialog} room={room} />;
  }
}
