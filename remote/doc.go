// Package remote computes on another machine: "bbgen remote serve" offers its kernels, and a [Device] here
// has tensors there.
//
//	dev, err := remote.Dial(ctx, remote.Config{Address: address})
//	…
//	defer dev.Close()
//	x := dev.Register(tensor.Of([]float32{1, 2, 3}, 3))
//	y := dev.Execute("Softmax", remote.Attrs{"axis": 0}, dev.Execute("Mul", nil, x, x))
//	got, err := y.Read(ctx)
//
// Operations are sent without waiting: only [Stream.Read], [Stream.Sync] and requests for information wait.
// An error of the server contains the operator's name. It is returned when the result is read, or by the next
// Sync. Results that depend on a failed tensor fail, too.
//
// Operations of one [Stream] run in order. Streams run concurrently, and wait if one reads a result of
// another. If the connection breaks, the session waits for a new one, and nothing is lost or executed twice.
// If the server has lost the session, all calls fail with [ErrLost].
//
// Channels are encrypted by TLS 1.3, and both ends prove their keys. The server admits the clients on its
// list and those with an invitation.
package remote
