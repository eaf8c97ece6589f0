import type { Templates } from './templates.ts';

/** Mails to customers in German. */
export const german: Templates = {
  invoice: {
    subject: 'Rechnung {number} von {seller}',
    body: `Guten Tag {customer},

hier ist Ihre Rechnung {number} über {amount}, fällig am {dueDate}. Sie können sie hier ansehen und bezahlen:
{link}

Vielen Dank
{seller}`,
  },
  debitAnnounced: {
    subject: 'Rechnung {number} von {seller}: Lastschrift über {amount} am {debitDate}',
    body: `Guten Tag {customer},

hier ist Ihre Rechnung {number} über {amount}. Wir ziehen den Betrag am {debitDate} per Lastschrift ein, \
Mandatsreferenz {mandate}. Bitte sorgen Sie bis dahin für Deckung Ihres Kontos.

Sie können die Rechnung hier ansehen:
{link}

Vielen Dank
{seller}`,
  },
  receipt: {
    subject: 'Zahlungsbeleg zur Rechnung {number} von {seller}',
    body: `Guten Tag {customer},

wir haben Ihre Zahlung über {amount} zur Rechnung {number} am {paidOn} erhalten. Die Rechnung ist vollständig bezahlt.

Vielen Dank
{seller}`,
  },
  paymentFailed: {
    subject: 'Zahlung der Rechnung {number} von {seller} fehlgeschlagen',
    body: `Guten Tag {customer},

eine Zahlung Ihrer Rechnung {number} ist fehlgeschlagen. Offen sind noch {amount}.

Der nächste Zahlungsversuch erfolgt am {nextAttempt}. Bitte sorgen Sie dafür, \
dass Ihr Zahlungsmittel bis dahin gültig ist.

{seller}`,
  },
  lastPaymentFailed: {
    subject: 'Zahlung der Rechnung {number} von {seller} fehlgeschlagen',
    body: `Guten Tag {customer},

eine Zahlung Ihrer Rechnung {number} ist fehlgeschlagen. Offen sind noch {amount}.

Die Zahlung wird nicht automatisch wiederholt. Bitte wenden Sie sich an uns, um die Rechnung zu bezahlen.

{seller}`,
  },
  confirmationNeeded: {
    subject: 'Bitte bestätigen Sie die Zahlung der Rechnung {number} von {seller}',
    body: `Guten Tag {customer},

Ihre Bank möchte, dass Sie die Zahlung Ihrer Rechnung {number} selbst bestätigen. Offen sind noch {amount}.

Bitte bezahlen Sie sie hier:
{link}

{seller}`,
  },
  otherMethodNeeded: {
    subject: 'Zahlung der Rechnung {number} von {seller} fehlgeschlagen',
    body: `Guten Tag {customer},

Ihre Rechnung {number} konnte nicht abgebucht werden, weil kein gültiges Zahlungsmittel hinterlegt ist. \
Offen sind noch {amount}.

Bitte wählen Sie hier eine andere Zahlungsart:
{link}

{seller}`,
  },
  reminder: {
    subject: 'Erinnerung: Rechnung {number} von {seller}',
    body: `Guten Tag {customer},

Ihre Rechnung {number} war am {dueDate} fällig, und {amount} sind noch offen. Vielleicht haben Sie sie übersehen. \
Sie können sie hier ansehen und bezahlen:
{link}

Falls Sie inzwischen bezahlt haben, betrachten Sie diese Mail bitte als gegenstandslos.

Vielen Dank
{seller}`,
  },
  toInvoice: 'Ihre Rechnung: {link}',
};
