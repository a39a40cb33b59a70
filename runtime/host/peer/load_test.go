package peer

import (
	"io"
	"testing"

	"github.com/bbgen/bbgen/runtime/wire"
)

// hanging is a value in a file whose disk answers when the test closes gate.
type hanging struct {
	wire.Blob
	gate     chan struct{}
	fails    error
	refs     int // used by the loop
	released chan struct{}
}

func newHanging(fails error) *hanging {
	return &hanging{wire.Bytes("a large value"), make(chan struct{}), fails, 1, make(chan struct{})}
}

func (x *hanging) Bytes() []byte { return nil }
func (x *hanging) Retain()       { x.refs++ }

func (x *hanging) Release() {
	if x.refs--; x.refs == 0 {
		close(x.released)
	}
}

func (x *hanging) ReadAt(p []byte, at int64) (int, error) {
	<-x.gate
	if x.fails != nil {
		return 0, x.fails
	}
	return x.Blob.ReadAt(p, at)
}

// A disk that does not answer does not stop the loop. The value is released when it was read, or could not be.
func TestLoadBesideTheLoop(t *testing.T) {
	for _, fails := range []error{nil, io.ErrUnexpectedEOF} {
		h := newPagesHost(t)
		x := newHanging(fails)
		if !h.ask(func() { h.load(testID(2), x) }) || !h.ask(func() {}) {
			t.Error("the loop has ended")
		}
		close(x.gate)
		<-x.released
	}
}
