// Compiles the codec of AccountingRow.
#include "model/accounts/accounting_record.h"

MUSTER_CODEC(muster::AccountingRow)
