// MsgType: Multiverso's numbers of messages.
#ifndef PS_MULTIVERSO_MSG_TYPE_H_
#define PS_MULTIVERSO_MSG_TYPE_H_

namespace multiverso {

// Of its headers, and what WorkerTable::Partition is told. Values for programs that name them: what travels
// here has another form. A reply is the negative of its request.
enum MsgType : int {
  Request_Get = 1,
  Request_Add = 2,
  Reply_Get = -1,
  Reply_Add = -2,
  Server_Finish_Train = 31,
  Control_Barrier = 33,
  Control_Reply_Barrier = -33,
  Control_Register = 34,
  Control_Reply_Register = -34,
  Default = 0
};

}  // namespace multiverso

#endif  // PS_MULTIVERSO_MSG_TYPE_H_
