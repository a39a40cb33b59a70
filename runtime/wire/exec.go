package wire

import "fmt"

// ExecID names an execution of a program's module across all peers that take
// part in it: the peer that began it, which incarnation of that peer, and a
// number that it gave once.
type ExecID struct {
	Origin      PeerID
	Incarnation uint64
	Number      uint64
}

// IsZero reports whether x names no execution.
func (x ExecID) IsZero() bool { return x == ExecID{} }

func (x ExecID) String() string {
	return fmt.Sprintf("%v/%d/%d", x.Origin, x.Incarnation, x.Number)
}

// message Exec
const (
	execOrigin      = 1<<3 | bytesType
	execIncarnation = 2<<3 | varintType
	execNumber      = 3<<3 | varintType
)

func sizeExec(x ExecID) int {
	return sizeBytes(execOrigin, multihashSize) + sizeVarint(execIncarnation, x.Incarnation) + sizeVarint(execNumber, x.Number)
}

// AppendExec appends an execution's name.
func AppendExec(b []byte, x ExecID) []byte {
	b = appendPeer(appendHead(b, execOrigin, multihashSize), x.Origin)
	b = appendVarint(b, execIncarnation, x.Incarnation)
	return appendVarint(b, execNumber, x.Number)
}

// ConsumeExec reads an execution's name, which is all of b.
func ConsumeExec(b []byte) (x ExecID, err error) {
	f := fields{b: b}
	for f.more() {
		if err = f.next(); err != nil {
			return ExecID{}, malformed("exec", "%v", err)
		}
		switch f.tag {
		case execOrigin:
			if x.Origin, err = consumePeer(f.p); err != nil {
				return ExecID{}, err
			}
		case execIncarnation:
			x.Incarnation = f.v
		case execNumber:
			x.Number = f.v
		}
	}
	if x.Origin.IsZero() {
		return ExecID{}, malformed("exec", "no origin")
	}
	return x, nil
}
