package wire

import "fmt"

// ExecID identifies an execution of a program's module on all peers that take part in it: the peer that began
// it, its incarnation, and a unique number.
type ExecID struct {
	Origin      PeerID
	Incarnation uint64
	Number      uint64
}

// IsZero reports whether x is zero, which identifies no execution.
func (x ExecID) IsZero() bool { return x.Number|x.Incarnation == 0 && x.Origin.IsZero() }

// String returns the peer that began the execution, its incarnation, and the execution's number, with slashes between.
func (x ExecID) String() string {
	return fmt.Sprintf("%v/%d/%d", x.Origin, x.Incarnation, x.Number)
}

// message Exec
const (
	execOrigin      = 1<<3 | bytesType
	execIncarnation = 2<<3 | varintType
	execNumber      = 3<<3 | varintType
)

// originHead is the beginning of the output of [AppendExec]: the key of the origin follows.
const (
	originHead = "\x0a\x26" + multihashHead
	originSize = len(originHead) + keySize
)

func sizeExec(x ExecID) int {
	return sizeBytes(execOrigin, multihashSize) + sizeVarint(execIncarnation, x.Incarnation) + sizeVarint(execNumber, x.Number)
}

// AppendExec appends an execution id.
func AppendExec(b []byte, x ExecID) []byte {
	b = appendPeer(appendHead(b, execOrigin, multihashSize), x.Origin)
	b = appendVarint(b, execIncarnation, x.Incarnation)
	return appendVarint(b, execNumber, x.Number)
}

// consume reads an execution id, which is all of b.
func (x *ExecID) consume(b []byte) error {
	*x = ExecID{}
	at := 0
	if len(b) >= originSize && string(b[:len(originHead)]) == originHead { // in the form of AppendExec
		x.Origin = peerOf(b[len(originHead):])
		at = originSize
	}
	for at < len(b) {
		t, v, end := field(b, at)
		if end < 0 {
			return malformed("exec", "%v", parseError(end))
		}
		at = end
		switch t {
		case execOrigin:
			var err error
			if x.Origin, err = consumePeer(content(b, v, end)); err != nil {
				return err
			}
		case execIncarnation:
			x.Incarnation = v
		case execNumber:
			x.Number = v
		}
	}
	if x.Origin.IsZero() {
		return malformed("exec", "no origin")
	}
	return nil
}
