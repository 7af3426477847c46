"""The currencies in use, by their codes of ISO 4217, and the signs that people write for them.

Written by `python -m tools.benchmarks.currencies` from the data of Unicode; not to be changed by hand.
"""

CODES = frozenset(
    """
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP
    CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF
    IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD
    MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB
    RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU
    UZS VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
    """.split()
)
_SIGNS = """
    $=AUD,CAD,MXN,NZD,SGD,TWD,USD $AR=ARS $AU=AUD $BM=BMD $BN=BND $BZ=BZD $CA=CAD $CL=CLP $CO=COP $FJ=FJD $HK=HKD
    $MX=MXN $NA=NAD $NZ=NZD $SB=SBD $SG=SGD $SR=SRD $TT=TTD $US=USD $UY=UYU $WS=WST A$=AUD AU$=AUD BM$=BMD BR$=BRL
    BS$=BSD BZ$=BZD Bds$=BBD CA$=CAD CN¥=CNY EC$=XCD EG£=EGP FCFA=XAF,XOF Ft=HUF HK$=HKD JM$=JMD JP¥=JPY Kč=CZK
    MX$=MXN NT$=TWD NZ$=NZD R$=BRL RD$=DOP RM=MYR Rp=IDR US$=USD kr=NOK,SEK kr.=DKK,ISK zł=PLN £=GBP £FK=FKP £GB=GBP
    £GI=GIP £LB=LBP ¥=JPY лв.=BGN ֏=AMD ৳=BDT ฿=THB ៛=KHR ₦=NGN ₩=KRW ₪=ILS ₫=VND €=EUR ₭=LAK ₮=MNT ₱=PHP ₴=UAH
    ₸=KZT ₹=INR ₺=TRY ₼=AZN ₽=RUB ₾=GEL ￥=JPY ￦=KRW
"""
SIGNS = {sign: codes.split(",") for sign, _, codes in (pair.partition("=") for pair in _SIGNS.split())}
"""Each sign with the codes of the currencies that it may stand for."""
