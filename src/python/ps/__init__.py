"""Caravan: a parameter-server message-passing runtime."""
from . import dtypes, errors
from .tensor import Tensor, array, from_dlpack, row_sparse, row_sparse_zeros, zeros
from .ticket import Ticket, wait_all
