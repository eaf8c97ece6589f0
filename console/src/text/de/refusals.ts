import type { refusals as english } from '../en/refusals.ts';

export const refusals: Record<keyof typeof english, string> = {
  'rule.required': '{field}: Das wird benötigt.',
  'rule.wrong_type': '{field}: Das muss {type} sein.',
  'rule.minimum': '{field}: Mindestens {limit}.',
  'rule.maximum': '{field}: Höchstens {limit}.',
  'rule.empty': '{field}: Das darf nicht leer sein.',
  'rule.too_short': '{field}: Mindestens {limit} Zeichen.',
  'rule.too_long': '{field}: Höchstens {limit} Zeichen.',
  'rule.too_few': '{field}: Mindestens {limit} Einträge.',
  'rule.too_many': '{field}: Höchstens {limit} Einträge.',
  'rule.too_many_keys': '{field}: Höchstens {limit} Schlüssel.',
  'rule.listed_twice': '{field}: Kein Eintrag darf doppelt vorkommen.',
  'rule.one_of': '{field}: Möglich sind: {allowed}.',
  'rule.only_value': '{field}: Das muss {allowed} sein.',
  'rule.pattern': '{field}: Das muss dem Muster {pattern} entsprechen.',
  'rule.format': '{field}: Das ist nicht vom Format {format}.',
  'rule.wrong_kind': '{field}: Das ist ein Wert der falschen Art.',
  'rule.unknown_field': '{field}: Diese Anfrage hat kein solches Feld. War {suggestion} gemeint?',
  'rule.unknown_field_of': '{field}: Diese Anfrage hat kein solches Feld. Ihre Felder: {known}.',
  'rule.no_fields': '{field}: Diese Anfrage hat keine Felder.',
  'rule.unknown_parameter': '{field}: Diese Anfrage hat keinen solchen Parameter. War {suggestion} gemeint?',
  'rule.unknown_parameter_of': '{field}: Diese Anfrage hat keinen solchen Parameter. Ihre Parameter: {known}.',
  'rule.no_parameters': '{field}: Diese Anfrage hat keine Parameter.',
  'rule.no_object': 'Der Teil {part} der Anfrage muss ein JSON-Objekt sein.',
  'rule.given_twice': '{field}: Das steht doppelt da.',
  'rule.empty_key_twice': 'Der leere Schlüssel steht doppelt da.',
  'rule.nul': '{field}: Das NUL-Zeichen ist nicht erlaubt.',
  'rule.half_surrogate': '{field}: Ein halbes Surrogatpaar ist nicht erlaubt.',
  'rule.inexact_number': '{field}: Das muss eine Zahl bis 2^53 − 1 sein, die nicht gerundet werden muss.',
  'rule.unreadable_request': 'Die Anfrage ist nicht lesbar: {reason}.',
  'rule.only_one_header': '{field}: Diese Kopfzeile darf nur einmal gesendet werden.',
  'rule.host_header': 'Eine Kopfzeile Host wird benötigt.',
  'rule.key_length': '{field}: {least} bis {limit} Zeichen.',
  'rule.one_line': '{field}: Das muss eine Zeile mit {least} bis {limit} Zeichen sein, ohne Steuerzeichen.',
  'rule.one_line_or_null': '{field}: Das muss eine Zeile mit höchstens {limit} Zeichen sein, oder leer.',
  'rule.web_address':
    '{field}: Das muss eine Adresse mit http oder https sein, deren Rechner es geben kann, ohne Benutzernamen.',
  'rule.object_of_keys': '{field}: Das muss ein Objekt mit höchstens {limit} Schlüsseln sein.',
  'rule.country_code': '{field}: Das muss ein Ländercode nach ISO 3166-1 alpha-2 sein, etwa US.',
  'rule.currency_code':
    '{field}: Das muss der ISO-4217-Code einer Zahlungswährung in Großbuchstaben sein, etwa USD; Fonds und ' +
    'Metalle sind keine.',
  'rule.id_such_as': '{field}: Das muss eine ID sein, etwa {example}.',
  'rule.address_or_null': '{field}: Das muss eine Adresse sein, oder leer.',
  'rule.day': '{field}: Das muss ein Tag in der Form JJJJ-MM-TT sein.',
  'rule.day_or_time':
    '{field}: Das muss ein Tag in der Form JJJJ-MM-TT oder eine Zeit mit Zeitverschiebung sein, etwa ' +
    '2026-01-31T09:30:00+01:00.',
  'rule.comma_list': '{field}: Das muss eine Liste mit Kommas sein, aus: {allowed}.',
  'rule.by_key': '{field}: Das muss mit Schlüssel angegeben werden, etwa metadata[order]=7.',
  'rule.user_name':
    '{field}: 1 bis 64 Buchstaben, Ziffern, Leerzeichen oder . _ @ + -, mit einem Buchstaben oder einer Ziffer ' +
    'am Anfang.',
  'rule.email_address': '{field}: Das muss eine E-Mail-Adresse sein.',
  'rule.email_address_up_to': '{field}: Das muss eine E-Mail-Adresse mit höchstens {limit} Zeichen sein.',
  'rule.email_address_or_null': '{field}: Das muss eine E-Mail-Adresse sein, oder leer.',
  'rule.list_name': '{field}: Bis zu 40 Kleinbuchstaben und Bindestriche.',
  'rule.id_of': '{field}: Das muss die ID sein von: {noun}.',
  'rule.id_of_or_null': '{field}: Das muss die ID sein von: {noun}; oder leer.',
  'rule.iso_time': '{field}: Das muss eine Zeit nach ISO 8601 sein.',
  'rule.iso_time_with_offset': '{field}: Das muss eine Zeit nach ISO 8601 mit Zeitverschiebung sein.',
  'rule.utc_time': '{field}: Das muss eine Zeit sein, etwa 2026-01-31T09:30:00Z.',
  'rule.utc_time_or_null': '{field}: Das muss eine Zeit sein, etwa 2026-01-31T09:30:00Z, oder leer.',
  'rule.http_status': '{field}: Das muss ein HTTP-Status wie 409 sein, oder alle mit gleichem Anfang, wie 4xx.',
  'rule.refusal_type': '{field}: Das muss der Typ einer Ablehnung sein, etwa invalid_request.',
  'rule.basis_points':
    '{field}: Das muss ein Prozentsatz von 0 bis 100 mit höchstens zwei Nachkommastellen sein, oder leer.',
  'rule.invoice_number': '{field}: Das muss eine Rechnungsnummer sein, etwa INV-000001.',
  'rule.integer_range_or_null': '{field}: Das muss eine ganze Zahl von {least} bis {limit} sein, oder leer.',
  'rule.text_or_null': '{field}: Höchstens {limit} Zeichen, oder leer.',
  'rule.day_or_null': '{field}: Das muss ein Tag in der Form JJJJ-MM-TT sein, oder leer.',
  'rule.id_list': '{field}: Das müssen höchstens 100 IDs sein, mit Kommas getrennt.',
  'rule.colour': '{field}: Das muss eine Farbe sein, etwa #1d4ed8, oder leer.',
  'rule.picture': '{field}: Das muss eine PNG- oder JPEG-Datei in base64 sein, oder leer.',
  'rule.mail_texts': '{field}: Das müssen Texte nach Sprache und Mail sein, oder leer.',
  'rule.channel_code': '{field}: 1 bis 64 Buchstaben, Ziffern, Punkte, Bindestriche oder Unterstriche.',
  'rule.one_of_or_null': '{field}: Möglich sind: {allowed}; oder leer.',
  'rule.statement_text':
    '{field}: 5 bis 22 Buchstaben, Ziffern, Leerzeichen und Zeichen außer < > \\ \' " *, mit einem Buchstaben.',
  'rule.statement_text_or_null':
    '{field}: 5 bis 22 Buchstaben, Ziffern, Leerzeichen und Zeichen außer < > \\ \' " *, mit einem Buchstaben; ' +
    'oder leer.',
  'rule.printable_secret': '{field}: 16 bis 256 druckbare ASCII-Zeichen.',
  'rule.not_together': '{field}: Das geht nicht zusammen mit {other}.',
  'rule.only_together': '{field}: Das gilt nur zusammen mit {other}.',
  'rule.required_with': '{field}: Das wird zusammen mit {other} benötigt.',
  'rule.required_unless': '{field}: Das wird benötigt, außer mit {other}.',
  'rule.not_more_than': '{field}: Das darf nicht mehr sein als {other}.',
  'rule.not_after': '{field}: Das darf nicht nach {other} liegen.',
  'rule.not_after_today': '{field}: Das darf nicht nach {other} liegen; ohne Angabe ist das heute.',
  'rule.before': '{field}: Das muss vor {other} liegen.',
  'rule.needs_id': '{field}: Das braucht die ID dessen, was geändert wird.',
  'rule.change_something': 'Mindestens ein Feld muss sich ändern, etwa {fields}.',
  'rule.metadata_twice':
    'Entweder metadata, um einige Schlüssel zu ändern, oder metadataReplace, um alle zu ersetzen; nicht beides.',
  'rule.future_time': '{field}: Das muss in der Zukunft liegen.',
  'rule.past_time': '{field}: Das muss in der Vergangenheit liegen.',
  'rule.within_a_year': '{field}: Das muss in der Zukunft liegen, höchstens ein Jahr von jetzt an.',
  'rule.minute_to_year': '{field}: Das muss mindestens eine Minute und höchstens 366 Tage von jetzt an liegen.',
  'rule.after_time': '{field}: Das muss nach dem Beginn der ersten Periode liegen: {time}.',
  'rule.trial_range': '{field}: Das muss nach jetzt ({time}) und höchstens 730 Tage voraus liegen.',
  'rule.not_before_time': '{field}: Das darf nicht vor {time} liegen; für ein früheres Ende wird gekündigt.',
  'rule.time_1970_2200': '{field}: Das muss eine Zeit nach ISO 8601 zwischen 1970 und 2200 sein.',
  'rule.time_1970_2970': '{field}: Das muss eine Zeit zwischen 1970 und 2970 sein, etwa 2026-01-31T09:30:00Z.',
  'rule.time_zone': '{field}: Das muss eine Zeitzone der IANA sein, etwa Europe/Zurich.',
  'rule.clock_back': '{field}: Das darf nicht vor {time} liegen: Eine Uhr geht nicht zurück.',
  'rule.clock_ten_years': '{field}: Das darf höchstens zehn Jahre nach der Uhr liegen.',
  'rule.not_counted':
    'Mit {filter} werden Zeilen nicht gezählt, also gibt es keine Seitenzahlen: page weglassen und ' +
    'pagination.nextCursor als cursor weitergeben.',
  'rule.row_id': '{field}: Das muss die ID einer Zeile sein, eine ganze Zahl.',
  'rule.row_id_such_as': '{field}: Das muss die ID einer Zeile sein, etwa {example}.',
  'rule.too_many_found':
    '{field}: Das trifft auf mehr als {limit} Zeilen zu. Bitte mehr vom Text eingeben oder filtern.',
  'rule.cursor_of_list': '{field}: Das muss der pagination.nextCursor einer früheren Seite dieser Liste sein.',
  'rule.cursor_of_filters':
    '{field}: Das gehört zu anderen Filtern: Bitte die der Seite wiederholen, von der es kommt.',
  'rule.not_for_export': '{field}: Das geht nicht bei einem Export: Er hat alle Zeilen.',
  'rule.series_too_long': 'Eine Reihe hat höchstens {limit} Tage; bitte einen späteren ersten Tag wählen.',
  'rule.needs_record_type': 'Das wird zusammen mit der ID benötigt.',
  'rule.leave_out': 'Die Suche findet über die ID: {other} weglassen.',
  'rule.delivery_search': '{field}: Das muss die ID einer Zustellung, dlv_…, oder eines Ereignisses, evt_…, sein.',
  'rule.not_found': 'Nicht gefunden: {noun} {id}.',
  'rule.inbox_gone': 'Diesen Posteingang gibt es nicht, oder seine sieben Tage sind um.',
  'rule.device_code_unknown': 'Unter diesem Code wartet keine Anmeldung. Sie ist abgelaufen oder schon entschieden.',
  'rule.json_size': '{field}: Höchstens 16 KiB JSON.',
  'rule.json_depth': '{field}: Höchstens {limit} Ebenen tief.',
  'rule.metadata_keys': '{field}: Höchstens {limit} Schlüssel, mit denen, die schon da sind.',
  'rule.currency_withdrawn':
    '{currency} gibt es nicht mehr und wird nicht mehr angenommen; was es darin gibt, kann noch gezahlt und ' +
    'erstattet werden.',
  'rule.currency_named':
    '{field}: {given} ist kein ISO-4217-Code einer Zahlungswährung in Großbuchstaben; Fonds und Metalle sind keine.',
  'rule.lines_too_much': '{field}: Zusammen mehr als {limit} in der kleinsten Einheit der Währung.',
  'rule.lines_below_zero': '{field}: Zusammen darf das nicht weniger als 0 sein.',
  'rule.lines_add_up': 'Die Posten ergeben mit Steuern {total}, und der Betrag ist {amount}.',
  'rule.one_tax': 'Ein Posten hat einen Steuersatz oder einen Steuerbetrag, nicht beides.',
  'rule.currency_of_invoice': '{field}: Das muss {currency} sein, die Währung der Rechnung {invoiceId}.',
  'rule.quantity_too_much':
    '{field}: Mal dem Preis des Tarifs sind das mehr als {limit} in der kleinsten Einheit der Währung.',
  'rule.changes_too_much':
    'Diese Änderungen ergeben auf einer Rechnung mehr als {limit} in der kleinsten Einheit der Währung.',
  'rule.invoice_too_much': 'Die Rechnung ginge über {limit} in der kleinsten Einheit der Währung.',
  'rule.password_short': '{field}: Mindestens {limit} Zeichen.',
  'rule.password_bytes': '{field}: Höchstens {limit} Bytes.',
  'rule.password_common': '{field}: Das ist eines der häufigsten Passwörter. Bitte ein anderes wählen.',
  'rule.password_own_name':
    '{field}: Das ist kaum mehr als der eigene Name, die Adresse oder der Name dieses Dienstes. Bitte ein ' +
    'anderes wählen.',
  'rule.old_password': 'Das bisherige Passwort stimmt nicht.',
  'rule.own_password': 'Das Passwort stimmt nicht.',
  'rule.own_password_elsewhere': 'Das eigene Passwort ändert man auf der Seite des eigenen Kontos, mit dem bisherigen.',
  'rule.own_email': 'Die eigene E-Mail-Adresse ändert man nur mit dem bisherigen Passwort.',
  'rule.tenant_fixed': 'Der Mandant eines Benutzers ändert sich nicht: Ihm gehört, was dieser angelegt hat.',
  'rule.no_tenant': 'Administratoren der Plattform gehören zu keinem Mandanten.',
  'rule.platform_stays_on': 'Der Mandant der Plattform kann nicht abgeschaltet werden.',
  'rule.platform_factor': 'Der Mandant der Plattform kann keinen zweiten Faktor verlangen.',
  'rule.key_sets_password':
    'Ein Schlüssel kann kein Passwort setzen; dafür muss man sich anmelden. Ohne Passwort werden neue Benutzer ' +
    'per Mail eingeladen, eines zu wählen.',
  'rule.key_sets_email': 'Ein Schlüssel kann keine E-Mail-Adresse setzen; dafür muss man sich anmelden.',
  'rule.user_type': 'Dafür braucht es den Benutzertyp {allowed}.',
  'rule.makes_platform_administrators': 'Nur Administratoren der Plattform legen solche an oder ändern sie.',
  'rule.makes_administrators': 'Nur Administratoren legen Administratoren an oder ändern sie.',
  'rule.own_factor': 'Den eigenen zweiten Faktor entfernt man mit einem Code; andere Administratoren brauchen keinen.',
  'rule.filters_tenant': 'Nur Administratoren der Plattform filtern nach Mandant.',
  'rule.grants_all': 'Nur Administratoren vergeben alle Berechtigungen (*).',
  'rule.scope': 'Dafür brauchen Sie die Berechtigung {scope}.',
  'rule.scope_of_user': 'Dafür brauchen Sie selbst die Berechtigung {scope}, die der Benutzer hätte.',
  'rule.scope_of_key': 'Sie haben die Berechtigung {scope} nicht, also kann auch Ihr Schlüssel sie nicht haben.',
  'rule.scope_to_read': 'Um {eventType} zu lesen, brauchen Sie die Berechtigung {scope}.',
  'rule.scope_to_receive': 'Um {eventType} zu erhalten, brauchen Sie die Berechtigung {scope}.',
  'rule.unknown_scope': '{field}: {given} ist keine Berechtigung. Berechtigungen werden mit Kommas getrennt.',
  'rule.network':
    '{field}: Das muss eine Adresse wie 203.0.113.7 oder ein Netz wie 203.0.113.0/24 oder 2001:db8::/32 sein.',
  'rule.one_session': 'Bitte eine Sitzung nennen, oder alle.',
  'rule.client_visible':
    '{field}: Das muss sichtbar sein, ohne Steuerzeichen und unsichtbare Zeichen: Man muss es erkennen.',
  'rule.account_taken': '{field}: Das hat schon ein anderes Konto: {name}.',
  'rule.view_limit': 'Höchstens {limit} gespeicherte Ansichten je Benutzer; bitte erst eine entfernen.',
  'rule.key_limit':
    'Höchstens {limit} Schlüssel je Benutzer, auch widerrufene zählen (app.developer-key.max-per-user).',
  'rule.passkey_limit': 'Sie haben {limit} Passkeys, mehr kann niemand haben. Bitte erst einen entfernen.',
  'rule.passkeys_need_name': 'Passkeys brauchen einen Rechnernamen, und app.public-url hat die Adresse {host}.',
  'rule.no_passkey': 'Sie haben keinen Passkey.',
  'rule.no_factor_begun': 'Sie haben keinen zweiten Faktor. Bitte erst einen beginnen.',
  'rule.no_factor': 'Sie haben keinen zweiten Faktor. Bitte erst auf der Seite Ihres Kontos einrichten.',
  'rule.no_app': 'Sie haben keine Authentifizierungs-App.',
  'rule.user_has_no_factor': 'Dieser Benutzer hat keinen zweiten Faktor.',
  'rule.key_revoked': 'Der Schlüssel {id} ist widerrufen und kann nicht erneuert werden.',
  'rule.key_replaced':
    'Der Schlüssel {id} ist durch den Schlüssel {replacement} ersetzt und kann nicht erneuert werden.',
  'rule.key_expired': 'Der Schlüssel {id} ist abgelaufen und kann nicht erneuert werden.',
  'rule.attempts_of_address': 'Zu viele Fehlversuche von dieser Adresse. Bitte später noch einmal.',
  'rule.attempts_of_codes': 'Zu viele falsche Codes. Bitte später noch einmal.',
  'rule.attempts_of_logins':
    'Zu viele fehlgeschlagene Anmeldungen. Bitte später noch einmal, oder das Passwort zurücksetzen.',
  'rule.requests_waiting': '{waiting} Anfragen von Ihnen warten ({limit}). Bitte gleich noch einmal.',
  'rule.requests_a_minute': 'Höchstens {most} Anfragen in der Minute je {limit}.',
  'rule.devices_waiting': 'Zu viele Anmeldungen von Geräten warten. Bitte in einigen Minuten noch einmal.',
  'rule.inbox_a_second': 'Ein Posteingang nimmt höchstens {limit} Nachrichten in der Sekunde an.',
  'rule.streams_of_user': 'Ein Benutzer kann auf einem Knoten {limit} Ströme offen haben.',
  'rule.test_key': 'Ein Test-Schlüssel kann das nicht ({doing}): bitte einen Live-Schlüssel nehmen oder sich anmelden.',
  'rule.other_mode': 'Das hier ist für „{mode}“, aber {noun} {id} für „{otherMode}“: bitte für „{mode}“ wählen.',
  'rule.mode_stays': 'Das ist für „{mode}“ und bleibt es: bitte ein anderes anlegen.',
  'rule.key_of_other_mode':
    'Das ist ein Schlüssel für {mode} ({prefix}…), aber {noun} {id} ist {otherMode}. Bitte einen Schlüssel für ' +
    '{otherMode} nehmen ({otherPrefix}…).',
  'rule.livemode_of_key': 'Das ist ein Schlüssel für {mode} ({prefix}…): livemode kann nur {livemode} sein.',
  'rule.channel_mode_stays':
    'Ob ein Kanal für Live- oder Testzahlungen ist, ändert sich nie: bitte einen anderen anlegen.',
  'rule.sandbox_is_test': 'Die Sandbox nimmt nur Testzahlungen, und dies ist ein Live-Kanal.',
  'rule.test_key_at_live_channel':
    'Dieser Kanal nimmt Echtzahlungen, und das ist ein API-Schlüssel des Testmodus von {provider}: Für Tests ' +
    'bitte einen Test-Kanal anlegen.',
  'rule.live_key_at_test_channel':
    'Dieser Kanal nimmt nur Testzahlungen: Bei {provider} braucht er einen API-Schlüssel des Testmodus.',
  'rule.no_mails_of_test': 'Über Testrechnungen wird keine Mail gesendet.',
  'rule.channel_code_taken': 'Ein anderer Kanal hat schon den Code {code}.',
  'rule.channel_limit':
    'Ein Mandant hat höchstens {limit} Kanäle (app.channel.max-per-tenant): bitte einen davon ändern.',
  'rule.channel_in_use':
    '{open} Zahlungen dieses Kanals laufen noch bei {provider}: Der Anbieter kann danach geändert werden.',
  'rule.fallback_on_itself': 'Ein Kanal kann nicht sein eigener Ersatz sein.',
  'rule.channel_key_of_other_mode':
    'Dieser Kanal nimmt Zahlungen für „{mode}“, hat aber einen API-Schlüssel seines Anbieters für „{otherMode}“: ' +
    'Er braucht einen anderen.',
  'rule.channel_off': 'Dieser Kanal nimmt keine Zahlungen an: Er ist abgeschaltet.',
  'rule.channel_currencies': 'Dieser Kanal nimmt {currencies}, nicht {given}.',
  'rule.captures_at_once': 'Der Kanal {channelId} zieht Zahlungen nur sofort ein.',
  'rule.method_captured_at_once':
    '{provider} zieht Zahlungen per {methodType} sofort ein: Sie können nicht vorher autorisiert werden.',
  'rule.captures_once': 'Der Kanal {channelId} zieht eine Zahlung nur einmal ein: Später geht es nicht mehr.',
  'rule.provider_cannot_capture': '{provider} kann Zahlungen so nicht einziehen.',
  'rule.offline_cannot_capture': 'Ein Kanal ohne Anbieter kann Zahlungen so nicht einziehen.',
  'rule.keeps_no_methods': 'Der Kanal {channelId} kann keine Zahlungsmittel behalten: {provider}.',
  'rule.keeps_no_such_methods': 'Der Kanal {channelId} kann Zahlungsmittel dieser Art nicht behalten: {provider}.',
  'rule.offline_keeps_no_methods': 'Der Kanal {channelId} kann keine Zahlungsmittel behalten: Er hat keinen Anbieter.',
  'rule.setup_needs_payment':
    'Der Anbieter des Kanals {channelId} behält ein solches Zahlungsmittel nur bei einer Zahlung (saveMethod).',
  'rule.channel_needed_of_invoice': '{field}: Das wird benötigt: Weder die Rechnung noch der Kunde hat einen Kanal.',
  'rule.channel_needed_of_plan': '{field}: Das wird benötigt: Weder der Tarif noch der Kunde hat einen Kanal.',
  'rule.channel_not_offered': 'Die Seite bietet diesen Kanal nicht an.',
  'rule.methods_channel': 'Dieses Zahlungsmittel liegt beim Kanal {channelId}, und nur er kann es belasten.',
  'rule.method_unusable': 'Das Zahlungsmittel {methodId} kann nicht belastet werden: {status}.',
  'rule.method_in_use':
    'Abonnements werden mit dem Zahlungsmittel {methodId} bezahlt: bitte ein anderes dafür wählen, oder sie erst ' +
    'ändern.',
  'rule.method_declined_too_often':
    '{brand} erlaubt {declines} Ablehnungen einer Karte ({period}): Das Zahlungsmittel {methodId} hatte so viele.',
  'rule.method_may_be_declined_too_often':
    '{brand} erlaubt {declines} Ablehnungen einer Karte ({period}): Das Zahlungsmittel {methodId} hatte so viele, ' +
    'wenn man die mitzählt, zu denen laufende Belastungen werden können.',
  'rule.method_kept_already': '{field}: Dieses Zahlungsmittel ist schon gespeichert.',
  'rule.merchant_needs_method': 'Eine Zahlung ohne den Zahler braucht ein gespeichertes Zahlungsmittel.',
  'rule.saving_needs_customer': 'Um das Zahlungsmittel zu behalten, braucht es einen Kunden.',
  'rule.bank_account_is_sepa': 'Ein Bankkonto hat den Typ SEPA-Lastschrift.',
  'rule.debit_needs_consent': 'Eine Lastschrift, die ohne den Zahler eingerichtet wird, braucht eine Einwilligung.',
  'rule.another_method': '{field}: Bitte ein anderes Zahlungsmittel wählen.',
  'rule.token_needs_channel': 'Ein Zahlungsmittel braucht einen Standardkanal: Dessen Anbieter behält es.',
  'rule.change_of_payment': 'Mindestens eines muss sich ändern: Status, Beschreibung, Metadaten.',
  'rule.only_with_failed': '{field}: Das gilt nur zusammen mit dem Status {status}.',
  'rule.payment_cannot_become': 'Eine Zahlung im Status „{from}“ kann nicht „{to}“ werden, sondern: {allowed}.',
  'rule.payment_is_final': 'Eine Zahlung im Status „{from}“ kann nicht „{to}“ werden: Sie ist abgeschlossen.',
  'rule.providers_payment_cannot_become':
    'Eine Zahlung im Status „{from}“ kann nicht auf „{to}“ gesetzt werden, denn der Anbieter ihres Kanals ' +
    'entscheidet; möglich: {allowed}.',
  'rule.providers_payment_is_final':
    'Eine Zahlung im Status „{from}“ kann nicht auf „{to}“ gesetzt werden: Der Anbieter ihres Kanals ' +
    'entscheidet, und sie ist nicht mehr zu ändern.',
  'rule.partly_captured':
    'Ein Teil dieser Zahlung wurde eingezogen: bitte den Rest freigeben und das Eingezogene erstatten.',
  'rule.not_refundable_status':
    'Eine Zahlung im Status „{status}“ kann nicht erstattet werden: Nur was gezahlt wurde, kann zurückgegeben werden.',
  'rule.nothing_to_refund': 'Es ist nichts mehr zu erstatten: Alles wurde oder wird zurückgegeben.',
  'rule.refund_left': 'Nur {left} von {total} können noch erstattet werden.',
  'rule.refund_at_other_provider':
    'Diese Zahlung lief über {provider}, und ihr Kanal {channelId} ist jetzt bei {channelProvider}: bitte bei ' +
    '{provider} erstatten, oder dem Kanal diesen Anbieter und seine Zugangsdaten wiedergeben.',
  'rule.refund_without_provider':
    'Diese Zahlung lief über {provider}, und ihr Kanal {channelId} hat jetzt keinen Anbieter: bitte bei ' +
    '{provider} erstatten, oder dem Kanal diesen Anbieter und seine Zugangsdaten wiedergeben.',
  'rule.cancelling': 'Der Anbieter ist gebeten, diese Zahlung zu stornieren.',
  'rule.nothing_to_capture': 'Es ist nichts mehr einzuziehen: Der letzte Einzug ist erfolgt.',
  'rule.capture_left': 'Nur {left} von {total} können noch eingezogen werden.',
  'rule.cancel_instead': 'Von dieser Zahlung wurde nichts eingezogen: bitte stattdessen stornieren.',
  'rule.nothing_to_release': 'Es ist nichts mehr freizugeben: Der letzte Einzug ist erfolgt.',
  'rule.cancellation_has_no_outcome':
    'Eine Stornierung hat kein eigenes Ergebnis: bitte ihre Zahlung abschließen, oder ohne Ergebnis schließen.',
  'rule.operation_ended': 'Der Vorgang {number} hat anders geendet, oder seine Zahlung.',
  'rule.reference_needed': 'Florin kennt die ID des Anbieters für diesen Vorgang nicht: bitte als Referenz angeben.',
  'rule.reference_taken': 'Eine andere Zahlung oder Erstattung dieses Kanals hat diese Referenz.',
  'rule.invoice_draft_unpayable': 'Die Rechnung {id} ist „{status}“: bitte erst abschließen.',
  'rule.invoice_unpayable': 'Die Rechnung {id} ist „{status}“: Es kann nichts mehr gezahlt werden.',
  'rule.invoice_not_sent': 'Eine Rechnung im Status „{status}“ wird nicht gesendet: nur offene und bezahlte.',
  'rule.nothing_to_pay': 'Von der Rechnung {id} ist nichts mehr zu zahlen: Alles wurde oder wird gezahlt.',
  'rule.invoice_left': 'Von der Rechnung {id} können nur noch {left} von {total} gezahlt werden.',
  'rule.invoice_cannot_become': 'Eine Rechnung im Status „{from}“ kann nicht „{to}“ werden, sondern: {allowed}.',
  'rule.invoice_is_final': 'Eine Rechnung im Status „{from}“ kann nicht „{to}“ werden: Sie bleibt, wie sie ist.',
  'rule.invoice_partly_paid': '{paid} dieser Rechnung sind gezahlt: bitte den Rest als uneinbringlich markieren.',
  'rule.invoice_not_draft': 'Die Rechnung {id} ist „{status}“: Nur ein Entwurf kann geändert werden.',
  'rule.external_id_taken': 'Ein anderer Kunde hat schon die externe ID {externalId}.',
  'rule.clock_fixed': '{field}: Das bleibt, wie es beim Anlegen des Kunden war.',
  'rule.customer_by_one': 'Bitte den Kunden entweder mit der ID oder der externen ID nennen.',
  'rule.of_the_invoice': '{field}: Das kommt von der Rechnung: bitte weglassen.',
  'rule.checkout_paid': 'Dieser Zahlungslink kann nicht geschlossen werden: Er ist bezahlt.',
  'rule.checkout_in_progress': 'Dieser Zahlungslink kann nicht geschlossen werden: Eine Zahlung läuft.',
  'rule.logo_file': '{field}: Das muss eine PNG- oder JPEG-Datei mit höchstens 40 KiB sein.',
  'rule.unknown_placeholder': '{placeholder} ist hier nicht bekannt. Bekannt sind {known}.',
  'rule.interval_limit': '{field}: Höchstens {limit}, wenn das Intervall in {interval} zählt.',
  'rule.plan_field_fixed':
    '{field}: Dieser Tarif hat Abonnements, also kann sich das nicht ändern. Bitte einen anderen Tarif anlegen.',
  'rule.trial_by_one': 'Entweder die Probetage oder das Ende der Probezeit, nicht beides.',
  'rule.subscription_paused': 'Dieses Abonnement ist „{state}“: bitte erst fortsetzen.',
  'rule.subscription_unpaid': 'Dieses Abonnement ist „{state}“: Tarif und Menge bleiben, bis es bezahlt ist.',
  'rule.plan_of_currency':
    '{field}: Bitte einen Tarif in {currency} wählen, wie dieses Abonnement; dieser ist in {otherCurrency}.',
  'rule.last_period_priced':
    'Die letzte Periode hat begonnen und ist bis zum Ende berechnet: Das Ende kann sich nicht ändern.',
  'rule.paused_cancel': 'Dieses Abonnement pausiert: bitte sofort kündigen, oder erst fortsetzen.',
  'rule.cancelled_at_end':
    'Dieses Abonnement ist zum Ende der Periode gekündigt: Erst wenn das zurückgenommen ist, kann es pausieren.',
  'rule.subscription_ended': 'Dieses Abonnement ist „{from}“ und kann sich nicht ändern. Bitte ein anderes anlegen.',
  'rule.subscription_cannot_become': 'Ein Abonnement im Status „{from}“ kann nicht „{to}“ werden, sondern: {allowed}.',
  'rule.subscription_not_paused': 'Dieses Abonnement ist „{from}“: Nur ein pausiertes kann fortgesetzt werden.',
  'rule.delivery_or_endpoint': 'Bitte eine Zustellung nennen, oder einen Endpunkt und seit wann.',
  'rule.not_with_delivery': '{field}: Das passt nicht zu einer einzelnen Zustellung.',
  'rule.deliveries_kept_since':
    '{field}: Das darf nicht vor {time} liegen: Ältere Zustellungen werden nicht aufbewahrt ' +
    '(app.webhook.keep-deliveries).',
  'rule.replay_running':
    'Die Wiederholung {replayId} des Endpunkts {webhookId} läuft: bitte warten, bis sie fertig ist.',
  'rule.message_id': '{field}: Das muss die ID einer Nachricht sein, msg_….',
  'rule.event_id': '{field}: Das muss die ID eines Ereignisses sein, evt_….',
  'rule.promote_alone': 'Erst ein neues Geheimnis eingeben, und es aktivieren, wenn der Empfänger es kennt.',
  'rule.stage_or_promote': 'Bitte ein neues Geheimnis eingeben, oder das vorgemerkte aktivieren.',
  'rule.no_secret_staged':
    'Für den Endpunkt {id} ist kein neues Geheimnis vorgemerkt: Es gibt nichts zu aktivieren, oder es ist schon aktiv.',
  'rule.change_of_endpoint':
    'Mindestens eines muss sich ändern: URL, Ereignisse, Status, gleichzeitige Zustellungen, Zustellungen je ' +
    'Sekunde, Wiederholungen.',
  'rule.webhook_off': 'Der Endpunkt {id} ist abgeschaltet: Es wird nichts an ihn gesendet.',
  'rule.webhook_limit':
    'Ein Mandant hat höchstens {limit} Endpunkte (app.webhook.max-endpoints); bitte erst einen entfernen.',
  'rule.url_spaces': '{field}: Leerzeichen und Steuerzeichen sind nicht erlaubt.',
  'rule.url_absolute': '{field}: Das muss eine vollständige URL sein.',
  'rule.url_scheme': '{field}: Das muss mit https:// oder http:// beginnen.',
  'rule.url_user': '{field}: Benutzername und Passwort sind nicht erlaubt.',
  'rule.url_host_place':
    '{field}: Der Rechner muss gleich nach https:// oder http:// stehen, und ein umgekehrter Schrägstrich ist ' +
    'nicht erlaubt.',
  'rule.url_port': '{field}: Port 0 ist nicht erlaubt: Kein Server kann ihn haben.',
  'rule.url_host_length': '{field}: Der Rechnername darf höchstens {limit} Zeichen haben.',
  'rule.url_host_labels':
    '{field}: Die Teile des Rechnernamens müssen 1 bis 63 Buchstaben, Ziffern, Bindestriche oder Unterstriche haben.',
  'rule.standard_secret':
    'Das Geheimnis beginnt mit whsec_, und danach erwarten die Bibliotheken von Standard Webhooks base64: nur ' +
    'die Zeichen A-Z a-z 0-9 + / und höchstens zwei = am Ende. Eines entsteht mit `echo "whsec_$(openssl rand ' +
    '-base64 24)"`, oder ein anderer Anfang wird gewählt.',
  'rule.too_many_before_cancel':
    'Diese Zahlung hatte {limit} Anfragen an ihren Anbieter, mit Erstattungen und Stornierungen; mehr sind nicht ' +
    'möglich. Bitte beim Anbieter stornieren.',
  'rule.too_many_before_refund':
    'Diese Zahlung hatte {limit} Anfragen an ihren Anbieter, mit Erstattungen und Stornierungen; mehr sind nicht ' +
    'möglich. Bitte den Rest beim Anbieter erstatten.',
  'rule.too_many_before_capture':
    'Diese Zahlung hatte {limit} Anfragen an ihren Anbieter, mit Erstattungen und Stornierungen; mehr sind nicht ' +
    'möglich. Bitte den Rest beim Anbieter einziehen.',
  'rule.captured_automatically':
    'Sie wird automatisch eingezogen: Nur eine autorisierte Zahlung kann eingezogen oder freigegeben werden.',
  'rule.not_yet_authorized':
    'Ihr Anbieter hat sie noch nicht autorisiert: Nur eine autorisierte Zahlung kann eingezogen oder freigegeben ' +
    'werden.',
  'rule.not_authorized': 'Sie ist „{status}“: Nur eine autorisierte Zahlung kann eingezogen oder freigegeben werden.',
  'rule.authorized_elsewhere':
    '{provider} hat diese Zahlung autorisiert, und ihr Kanal ist jetzt bei einem anderen Anbieter.',
  'rule.not_utf8': 'Die Anfrage ist kein gültiges UTF-8.',
  'rule.not_valid_json': 'Die Anfrage ist kein gültiges JSON.',
  'rule.too_deep': 'Die Anfrage ist tiefer als {limit} Ebenen verschachtelt.',
  'rule.body_size': 'Die Anfrage ist größer als {limit} KiB.',
  'rule.needs_token': 'Dafür muss jemand angemeldet sein; ein Schlüssel genügt nicht.',
  'rule.needs_key': 'Dafür braucht es einen Schlüssel; angemeldet zu sein genügt nicht.',
  'rule.token_invalid': 'Das Token ist ungültig oder abgelaufen.',
  'rule.metrics_token': 'Das Token ist nicht das von app.metrics.token.',
  'rule.metrics_token_missing': 'Das braucht eine Kopfzeile Authorization: Bearer und app.metrics.token.',
  'rule.key_unknown': 'Der Schlüssel ist unbekannt, widerrufen oder abgelaufen.',
  'rule.authorization_missing': 'Sie sind nicht angemeldet.',
  'rule.authorization_form': 'Die Kopfzeile Authorization muss Bearer oder ApiKey enthalten, dann das Geheimnis.',
  'rule.key_under_bearer': 'Ein Schlüssel wird anders gesendet: "Authorization: ApiKey sk_…".',
  'rule.token_under_apikey': 'Ein Zugangstoken wird anders gesendet: "Authorization: Bearer eyJ…".',
  'rule.session_ended': 'Ihre Sitzung ist beendet. Bitte neu anmelden.',
  'rule.token_replaced': 'Das Token wurde durch ein neueres seiner Sitzung ersetzt.',
  'rule.bearer_missing': 'Sie sind nicht angemeldet.',
  'rule.bearer_form': 'Das braucht ein Zugangstoken (Bearer).',
  'rule.from_other_site': 'Die Sitzung der Konsole gilt nicht für eine andere Website.',
  'rule.from_other_origin': 'Die Sitzung der Konsole gilt nicht für den Ursprung {origin}.',
  'rule.without_console_header': 'Die Sitzung der Konsole gilt nicht für eine Seite, die {header} nicht sendet.',
  'rule.without_origin': 'Die Sitzung der Konsole gilt nicht für eine Seite ohne Ursprung.',
  'rule.passkey_login': 'Mit diesem Passkey kann man sich hier nicht anmelden.',
  'rule.password_login': 'Das Konto oder das Passwort stimmt nicht.',
  'rule.step_up': 'Dafür braucht es einen frischen Code oder Passkey.',
  'rule.step_up_sessions': 'Andere Sitzungen zu beenden braucht einen frischen Code oder eine neue Anmeldung.',
  'rule.no_such_path': 'Es gibt kein {method} {path}.',
  'rule.no_such_file': 'Es gibt keine Datei {name}.',
  'rule.methods_of_path': '{path} nimmt {method} nicht an, nur {allowed}.',
  'rule.body_must_be_json': 'Die Anfrage muss JSON sein: Content-Type: application/json senden.',
  'rule.database_busy': 'Es warten mehr Anfragen auf die Datenbank, als sie bedienen kann. Bitte gleich noch einmal.',
  'rule.too_many_waiting': 'Es warten mehr Anfragen, als bedient werden können. Bitte gleich noch einmal.',
  'rule.too_many_lists': 'Es werden mehr Listen gelesen, als die Datenbank bedienen kann. Bitte gleich noch einmal.',
  'rule.database_over_limits': 'Die Datenbank ist gerade an ihren Grenzen. Bitte gleich noch einmal.',
  'rule.requests_wait': 'Es warten zu viele Anfragen. Bitte gleich noch einmal.',
  'rule.passwords_wait': 'Es werden gerade zu viele Passwörter geprüft. Bitte gleich noch einmal.',
  'rule.work_waits':
    'Es wird mehr verlangt, als rechtzeitig belastet und zugestellt werden kann. Bitte gleich noch einmal.',
  'rule.logins_wait': 'Es warten gerade zu viele Anmeldungen. Bitte gleich noch einmal.',
  'rule.logins_not_served': 'Anmeldungen sind gerade nicht möglich.',
  'rule.disk_full': 'Die Platte der Datenbank ist voll: Es kann nichts gespeichert werden, bis Platz ist.',
  'rule.disk_is_full': 'Die Platte der Datenbank ist voll: Es kann nichts gespeichert werden.',
  'rule.database_away': 'Die Datenbank ist gerade nicht erreichbar. Bitte gleich noch einmal.',
  'rule.database_away_for': 'Die Datenbank ist seit {seconds} s nicht erreichbar.',
  'rule.database_never_reached': 'Die Datenbank ist nicht erreichbar, seit dem Start dieses Knotens.',
  'rule.database_read_only_for':
    'Die Datenbank nimmt seit {seconds} s keine Änderungen an: ein Standby, oder nur lesbar.',
  'rule.database_never_written':
    'Die Datenbank nimmt keine Änderungen an, seit dem Start dieses Knotens: ein Standby, oder nur lesbar.',
  'rule.sandbox_records': 'Die Daten der Sandbox waren nicht rechtzeitig erreichbar.',
  'rule.not_ready': '{reason}',
  'rule.ask_once': 'Nur alle {interval} Sekunden fragen.',
  'rule.device_denied': 'Die Anmeldung dieses Geräts wurde abgelehnt.',
  'rule.device_session_ended': 'Die Sitzung, in der diese Anmeldung erlaubt wurde, ist beendet.',
  'rule.rendering_waits': 'Es werden gerade zu viele {what} erzeugt. Bitte gleich noch einmal.',
  'rule.key_from_address': 'Dieser Schlüssel wird von {address} nicht angenommen.',
  'rule.rendering_slow': '{what} konnte nicht erzeugt werden: Es dauerte länger als {limit} s. {instead}',
  'rule.rendering_broken': '{what} konnte nicht erzeugt werden: Das Programm dafür ist gescheitert. {instead}',
  'rule.provider_without_currency': '{provider} nimmt keine Zahlungen in {currency} an.',
  'rule.provider_minimum': '{provider} nimmt keine Zahlungen unter {minimum} an.',
  'rule.provider_decimals': '{provider} kennt die kleinste Einheit von {currency} nicht, die dieser Betrag braucht.',
  'rule.reference_needs_token': '{field}: Das braucht das Token, das der Zahlungsanbieter für diesen Kunden hat.',
  'rule.cannot_adopt': 'Der Kanal {channelId} kann keine Zahlungsmittel übernehmen, die {provider} schon hat.',
  'rule.subscription_external_id_taken': 'Ein anderes Abonnement hat schon die externe ID {externalId}.',
  'rule.trial_or_billed': 'Entweder eine Probezeit oder billedUntil, nicht beides.',
  'rule.billed_until_period':
    '{field}: Das muss das Ende einer Periode des Tarifs {planId} sein, von startTime an gezählt.',
  'rule.billed_until_now': '{field}: Das muss das Ende der Periode sein, die vor {time} begonnen hat.',
  'rule.disputed_nothing_left': 'Eine Anfechtung hat Geld dieser Zahlung abgezogen: Es ist nichts mehr zu erstatten.',
  'rule.disputed_left':
    'Eine Anfechtung hat Geld dieser Zahlung abgezogen: Nur {left} von {total} können noch erstattet werden.',
  'rule.disputed_unclear':
    'Eine Anfechtung in einer anderen Währung hat Geld dieser Zahlung genommen: bitte erst ihre Abweichung ' +
    'schließen, mit dem genommenen Betrag.',
  'rule.no_operation': 'In dieser Abweichung geht es um keinen Vorgang.',
  'rule.no_dispute': 'In dieser Abweichung geht es um keine Anfechtung in einer anderen Währung.',
  'rule.withdrawn_required':
    '{field}: Das wird benötigt: was die Anfechtung in der Währung der Zahlung genommen hat; 0: nichts.',
  'rule.captured_only': 'Nur {left} der Zahlung wurden eingezogen.',
  'rule.file_bytes': 'Die Datei wird nicht angenommen. Sie hat {bytes} Bytes; höchstens {limit} sind erlaubt.',
  'rule.file_type': 'Die Datei wird nicht angenommen. Ihr Inhalt ist {given}; erlaubt sind {allowed}.',
  'rule.file_unreadable': 'Die Datei wird nicht angenommen. Sie ist verschlüsselt, oder ihre Seiten sind nicht lesbar.',
  'rule.file_pages': 'Die Datei wird nicht angenommen. Sie hat {pages} Seiten; höchstens {limit} sind erlaubt.',
  'rule.dispute_not_open': 'Diese Anfechtung kann so nicht beantwortet werden. Sie ist „{status}“.',
  'rule.dispute_answer_under_way':
    'Diese Anfechtung kann so nicht beantwortet werden. Eine Antwort ist unterwegs zum Zahlungsanbieter.',
  'rule.dispute_evidence_submitted':
    'Diese Anfechtung kann so nicht beantwortet werden. In dieser Stufe wurden schon Belege eingereicht.',
  'rule.dispute_action':
    'Diese Anfechtung kann so nicht beantwortet werden. Der Zahlungsanbieter nimmt {action} dafür nicht an.',
  'rule.evidence_none': 'Der Zahlungsanbieter nimmt kein {kind} mit dem Namen {given} an: Er nimmt keines.',
  'rule.evidence_name': 'Der Zahlungsanbieter nimmt kein {kind} mit dem Namen {given} an, sondern: {allowed}.',
  'rule.evidence_missing': 'Es fehlen Belege: {missing}.',
  'rule.no_evidence': 'Es gibt keine Belege zum Einreichen.',
  'rule.no_defense_reason': '{field}: Der Zahlungsanbieter nimmt keinen an.',
  'refusal.second_factor_not_enrolled':
    'Ihre Organisation verlangt einen zweiten Faktor, und Sie haben keinen: bitte erst einrichten.',
  'refusal.encoding_not_supported': 'Die Anfrage muss ohne Content-Encoding gesendet werden.',
  'refusal.expectation_not_supported': 'Nur die Erwartung 100-continue kann erfüllt werden.',
  'refusal.internal_error': 'Im Dienst ist etwas schiefgegangen. Bitte die Anfrage-ID melden.',
  'refusal.idempotency_mismatch': 'Dieser Idempotency-Key wurde schon mit einem anderen Inhalt benutzt.',
  'refusal.shutting_down': 'Dieser Knoten wird beendet. Bitte einen anderen fragen.',
  'refusal.address_not_allowed':
    'Ohne app.metrics.token ist /metrics nur für Programme auf diesem Rechner, ohne Proxy.',
  'refusal.last_administrator':
    'Das ist der letzte aktive Administrator der Plattform: Er kann weder abgeschaltet noch herabgestuft werden.',
  'refusal.reset_token_invalid': 'Der Link ist ungültig, benutzt oder abgelaufen. Bitte einen neuen anfordern.',
  'refusal.code_wrong': 'Der Code stimmt nicht, oder er wurde schon benutzt.',
  'refusal.second_factor_active':
    'Sie haben schon eine Authentifizierungs-App. Bitte erst entfernen, dann eine andere einrichten.',
  'refusal.passkey_wrong':
    'Der Passkey ist hier nicht bekannt, oder seine Antwort ist ungültig oder abgelaufen. Bitte neu beginnen.',
  'refusal.second_factor_challenge':
    'Dieses Konto hat einen zweiten Faktor: bitte einen Code eingeben oder einen Passkey benutzen.',
  'refusal.challenge_invalid':
    'Diese Anmeldung ist unbekannt, benutzt oder abgelaufen, oder es gab zu viele Versuche. Bitte neu anmelden.',
  'refusal.expired_token': 'Dieser Gerätecode ist unbekannt, benutzt oder abgelaufen. Bitte einen neuen anfordern.',
  'refusal.authorization_pending': 'Der Benutzer hat noch nicht entschieden.',
  'refusal.customer_without_email': 'Der Kunde hat keine Mailadresse.',
  'refusal.invoice_payment_under_way':
    'Eine Zahlung dieser Rechnung läuft ({underWay}): bitte warten, bis sie endet, oder sie stornieren.',
  'refusal.clock_under_way': 'Diese Uhr wird schon vorgestellt: bitte warten, bis sie angekommen ist.',
  'refusal.clocks_not_offered': 'Testuhren gibt es nur im Modus STANDALONE.',
  'refusal.plan_inactive': 'Diesen Tarif kann niemand abonnieren: Er ist abgeschaltet.',
  'refusal.capture_under_way': 'Ein anderer Einzug oder eine Freigabe dieser Zahlung läuft: bitte danach noch einmal.',
  'refusal.sandbox_disabled':
    'Die Sandbox ist hier abgeschaltet: Im Modus CLUSTER braucht sie die Einstellung app.sandbox.enabled.',
  'refusal.webhook_address_forbidden': 'Das führt zu einer Adresse, die Zustellungen nicht erreichen dürfen.',
  'said.service': 'Der Dienst sagt: {words}',
  'said.provider': 'Der Zahlungsanbieter sagt: {words}',
  'said.minorUnits': '{n} (in der kleinsten Einheit der Währung)',
  'jsonType.integer': 'eine ganze Zahl',
  'jsonType.number': 'eine Zahl',
  'jsonType.string': 'ein Text',
  'jsonType.boolean': 'true oder false',
  'jsonType.object': 'ein Objekt',
  'jsonType.array': 'eine Liste',
  'jsonType.null': 'leer',
  'noun.user': 'Benutzer',
  'noun.passkey': 'Passkey',
  'noun.developer_key': 'Entwicklerschlüssel',
  'noun.tenant': 'Mandant',
  'noun.session': 'Sitzung',
  'noun.request': 'Anfrage',
  'noun.invoice': 'Rechnung',
  'noun.customer': 'Kunde',
  'noun.channel': 'Kanal',
  'noun.payment_method': 'Zahlungsmittel',
  'noun.plan': 'Tarif',
  'noun.checkout': 'Zahlungslink',
  'noun.subscription': 'Abonnement',
  'noun.refund': 'Erstattung',
  'noun.webhook': 'Endpunkt',
  'noun.transaction': 'Zahlung',
  'noun.discrepancy_of_operation': 'Abweichung des Vorgangs',
  'noun.delivery': 'Zustellung',
  'noun.replay': 'Wiederholung',
  'noun.event': 'Ereignis',
  'noun.inbox': 'Test-Postfach',
  'noun.clock': 'Testuhr',
  'noun.test_clock': 'Testuhr',
  'refusal.channel_inactive': 'Der Kanal nimmt keine Zahlungen an.',
  'refusal.currency_not_supported': 'Der Kanal nimmt diese Währung nicht an.',
  'refusal.payment_method_unusable': 'Das Zahlungsmittel kann nicht belastet werden.',
  'refusal.payment_method_attempts_reached':
    'Das Zahlungsmittel wurde zu oft abgelehnt: Sein Netzwerk lässt gerade niemanden mehr belasten.',
  'refusal.method_of_other_channel':
    'Das Zahlungsmittel liegt bei einem anderen Kanal, und nur dieser kann es belasten.',
  'refusal.record_not_found': 'Etwas, das gebraucht wird, gibt es nicht.',
  'refusal.invalid_request': 'Die Anfrage ist nicht gültig.',
};
