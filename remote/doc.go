// Package remote computes on another machine: "bbgen remote serve" offers its kernels, and
// a [Device] here has tensors there.
//
//	dev, err := remote.Dial(ctx, remote.Config{Address: address})
//	…
//	defer dev.Close()
//	x := dev.Register(tensor.Of([]float32{1, 2, 3}, 3))
//	y := dev.Execute("Softmax", remote.Attrs{"axis": 0}, dev.Execute("Mul", nil, x, x))
//	got, err := y.Read(ctx)
//
// Operations are sent and not waited for: only [Stream.Read], [Stream.Sync] and what asks
// the server wait. What fails on the server is told with the operator's name where its
// result is read, or by the next Sync; what is made of a failed tensor fails with it.
//
// Work on one [Stream] is done in order; streams run beside each other, and wait where one
// reads what another makes. A break of the connection is bridged: the session and all in
// it wait for the client, and nothing is lost or done twice. If the server has lost the
// session, all calls fail with [ErrLost].
//
// Channels are encrypted by TLS 1.3, and both ends prove their keys; who may come is the
// server's list, or has an invitation.
package remote
