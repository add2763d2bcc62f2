#include "model/accounting_record.h"

MUSTER_CODEC(muster::AccountingRow)
