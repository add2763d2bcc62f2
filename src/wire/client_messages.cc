#include "wire/client_messages.h"

MUSTER_CODEC(muster::wire::RequestFrame)
MUSTER_CODEC(muster::wire::ReplyFrame)
