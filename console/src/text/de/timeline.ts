import type { timeline as english } from '../en/timeline.ts';

export const timeline: Record<keyof typeof english, string> = {
  'step.created': '{user} hat die Zahlung über {money} angelegt.',
  'step.charge_waiting': 'Die Belastung wartet darauf, an {provider} gesendet zu werden.',
  'step.refund_waiting': 'Die Erstattung wartet darauf, an {provider} gesendet zu werden.',
  'step.cancel_waiting': 'Die Bitte, die Belastung abzubrechen, wartet darauf, an {provider} gesendet zu werden.',
  'step.capture_waiting': 'Der Einzug wartet darauf, an {provider} gesendet zu werden.',
  'step.release_waiting': 'Die Freigabe des Restes wartet darauf, an {provider} gesendet zu werden.',
  'step.charge_called': 'Die Belastung über {money} wurde an {provider} gesendet.',
  'step.refund_called': 'Die Erstattung über {money} wurde an {provider} gesendet.',
  'step.capture_called': 'Der Einzug über {money} wurde an {provider} gesendet.',
  'step.release_called': '{provider} wurde gebeten, {money} freizugeben.',
  'step.cancel_called': '{provider} wurde gebeten, die Belastung abzubrechen.',
  'step.cancel_called_late':
    'Der Zahler hat nicht rechtzeitig abgeschlossen: {provider} wurde gebeten, die Belastung abzubrechen.',
  'step.charge_authorized': '{provider} hat {money} reserviert, zum späteren Einzug.',
  'step.charge_succeeded': '{provider} hat {money} eingenommen.',
  'step.capture_succeeded': '{provider} hat {money} eingezogen.',
  'step.release_succeeded': '{provider} hat {money} freigegeben.',
  'step.refund_succeeded': '{provider} hat {money} zurückgegeben.',
  'step.refund_recorded': 'Die Erstattung über {money} wurde vermerkt.',
  'step.cancel_succeeded': '{provider} hat die Belastung abgebrochen.',
  'step.authorization_released': 'Was nicht eingezogen wurde, ist freigegeben.',
  'step.authorization_ended': 'Die Reservierung ist beendet.',
  'step.charge_not_sent': 'Die Belastung wurde nicht an {provider} gesendet, weil von dort keine Antworten mehr kamen.',
  'step.charge_failed': 'Die Belastung ist fehlgeschlagen.',
  'step.refund_failed': 'Die Erstattung ist fehlgeschlagen.',
  'step.capture_failed': 'Der Einzug ist fehlgeschlagen.',
  'step.release_failed': 'Die Freigabe des Restes ist fehlgeschlagen.',
  'step.cancel_failed': 'Die Belastung wurde nicht abgebrochen.',
  'step.charge_cancelled': 'Die Belastung wurde abgebrochen.',
  'step.refund_cancelled': 'Die Erstattung wurde abgebrochen.',
  'step.capture_cancelled': 'Der Einzug wurde abgebrochen.',
  'step.release_cancelled': 'Die Freigabe des Restes wurde abgebrochen.',
  'step.cancel_cancelled': 'Es gab nichts mehr abzubrechen.',
  'step.refund_created': '{user} hat eine Erstattung über {money} verlangt.',
  'step.omitted': 'Ältere Schritte fehlen hier; die neuesten {n} folgen.',
  'step.updated': '{user} hat den Status auf „{to}“ gesetzt.',
  'step.cancel_asked': '{user} hat verlangt, die Belastung abzubrechen.',
  'step.unknown':
    '{provider} hat kein Ergebnis gemeldet ({about}): Es kann geschehen sein oder nicht, und wird nachgesehen.',
  'step.pending': '{provider} ist damit beschäftigt ({about}).',
  'step.needs_payer': 'Der Zahler muss etwas tun, bevor es weitergeht ({about}).',
  'step.rate_limited':
    '{provider} hat es wegen zu vieler Anfragen nicht angenommen ({about}); es wird unter demselben Schlüssel ' +
    'erneut gesendet.',
  'step.authorized': '{provider} hält den Betrag, bis er eingezogen wird ({about}).',
  'step.absent': '{provider} kennt es nicht ({about}); es wird unter demselben Schlüssel erneut gesendet.',
  'step.callback': '{provider} hat einen Rückruf gesendet ({about}): {said}.',
  'step.callback_changed': '{provider} hat einen Rückruf gesendet: Etwas hat sich geändert ({about}).',
  'step.contradiction':
    '{provider} hat {said} gemeldet ({about}), was dem Abgeschlossenen widerspricht. Die Zahlung bleibt, wie sie ' +
    'ist, und der Zahlungsanbieter wird gefragt, was stimmt.',
  'step.mismatch':
    '{provider} hat {said} gemeldet ({about}), mit anderem Betrag oder anderer Währung als verlangt. Es wird ' +
    'nicht gebucht, und der Zahlungsanbieter wird erneut gefragt.',
  'step.mode_mismatch':
    '{provider} hat es ({about}) im Modus {mode} gemeldet, der nicht der Modus der Zahlung ist. Nichts wird ' +
    'gebucht, und der Zahlungsanbieter wird erneut gefragt.',
  'step.forgotten':
    '{provider} kann nicht mehr sagen, was daraus wurde ({about}). Es wird nicht erneut gesendet: Das muss ein ' +
    'Mensch herausfinden.',
  'step.looked_up':
    '{provider} wurde erneut gefragt ({about}) und meldet {said}: Die Bücher stimmen nicht überein. Die Zahlung ' +
    'bleibt, wie sie ist, bis ein Mensch es geklärt hat.',
  'step.looked_up_agrees': '{provider} wurde erneut gefragt ({about}) und bestätigt das Abgeschlossene.',
  'step.discrepancy_closed': '{user} hat die Abweichung geschlossen ({about}): {note}',
  'step.not_called': '{provider} wurde nicht gerufen ({about}).',
  'step.theProvider': 'Der Zahlungsanbieter',
  'about.CHARGE': 'Belastung',
  'about.REFUND': 'Erstattung',
  'about.CANCEL': 'Bitte um Abbruch der Belastung',
  'about.CAPTURE': 'Einzug',
  'about.RELEASE': 'Freigabe des Restes',
  'about.PAYMENT': 'Zahlung',
  'settledBy.look_up': 'Das ergab eine Nachfrage.',
  'settledBy.callback': 'Das meldete ein Rückruf.',
  'settledBy.user': 'Das hat ein Benutzer beim Zahlungsanbieter nachgesehen.',
};
