"""Sources of market data: AKShare and Tushare behind one port."""
