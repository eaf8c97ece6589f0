const dollars =
  'ARS AUD BBD BMD BND BSD BZD CAD CLP COP CUP DOP FJD GYD HKD JMD KYD LRD MXN NAD NZD SBD SGD SRD TTD TWD USD UYU XCD';

/**
 * The signs of currencies as people write them beside amounts, from CLDR. Single letters (K, L, P, Q, R, T) are left
 * out: with digits they are references.
 */
export const currenciesBySign: Readonly<Record<string, string>> = {
  $: dollars,
  ...{ US$: 'USD', A$: 'AUD', AU$: 'AUD', C$: 'CAD NIO', CA$: 'CAD', NZ$: 'NZD', HK$: 'HKD', S$: 'SGD', NT$: 'TWD' },
  ...{ MX$: 'MXN', R$: 'BRL', RD$: 'DOP', J$: 'JMD', JM$: 'JMD', TT$: 'TTD', EC$: 'XCD', BZ$: 'BZD', B$: 'BND BSD' },
  ...{ '€': 'EUR', '£': 'GBP EGP FKP GIP SHP SSP SYP LBP', 'E£': 'EGP', '¥': 'JPY CNY', 円: 'JPY', 元: 'CNY' },
  ...{ Fr: 'CHF', 'Fr.': 'CHF', SFr: 'CHF', 'SFr.': 'CHF', kr: 'DKK ISK NOK SEK', 'kr.': 'DKK ISK NOK SEK' },
  ...{ zł: 'PLN', Kč: 'CZK', Ft: 'HUF', lei: 'RON', лв: 'BGN', 'лв.': 'BGN', kn: 'HRK', дин: 'RSD', KM: 'BAM' },
  ...{
    '₹': 'INR',
    Rs: 'INR LKR MUR NPR PKR SCR',
    'Rs.': 'INR LKR MUR NPR PKR SCR',
    '৳': 'BDT',
    '₽': 'RUB',
    '₴': 'UAH',
  },
  ...{
    '₺': 'TRY',
    TL: 'TRY',
    '₪': 'ILS',
    '₩': 'KRW KPW',
    '₫': 'VND',
    '₱': 'PHP CUP',
    '฿': 'THB',
    Rp: 'IDR',
    RM: 'MYR',
  },
  ...{ '₦': 'NGN', '₵': 'GHS', 'GH₵': 'GHS', '₡': 'CRC', '₲': 'PYG', '₸': 'KZT', '₾': 'GEL', '₼': 'AZN', '֏': 'AMD' },
  ...{ '₮': 'MNT', '₭': 'LAK', '៛': 'KHR', '؋': 'AFN', KSh: 'KES', TSh: 'TZS', USh: 'UGX', FCFA: 'XAF XOF', Br: 'ETB' },
  ...{ 'د.إ': 'AED', 'ر.س': 'SAR', 'د.ك': 'KWD', 'د.ب': 'BHD', 'ج.م': 'EGP', ден: 'MKD', 'Bs.': 'BOB', 'S/': 'PEN' },
};
