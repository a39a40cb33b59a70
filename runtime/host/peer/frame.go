package peer

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"github.com/bbgen/bbgen/runtime/wire"
)

// frames reads messages off a stream, each behind its length. It costs a peer
// that is slow on purpose its connection: a message that has begun must go on.
type frames struct {
	s     Stream
	r     *bufio.Reader
	idle  time.Duration // how long the next message may be waited for; 0: for ever
	stall time.Duration // how long the next bytes of a message may be waited for
}

const (
	readBuffer = 64 << 10
	step       = 256 << 10 // bytes that a message grows by: what is announced costs nothing until it arrives
)

func newFrames(s Stream, stall time.Duration) *frames {
	return &frames{s: s, r: bufio.NewReaderSize(s, readBuffer), stall: stall}
}

// read appends the next message of at most limit bytes to b.
func (f *frames) read(b []byte, limit int) ([]byte, error) {
	size, err := f.length(limit)
	if err != nil {
		return b, err
	}
	if size <= f.r.Buffered() {
		p, _ := f.r.Peek(size)
		b = append(b, p...)
		f.r.Discard(size)
		return b, nil
	}
	for size > 0 {
		k := min(size, step)
		at := len(b)
		b = grow(b, k)
		if err := f.s.SetReadDeadline(time.Now().Add(f.stall)); err != nil {
			return b[:at], err
		}
		if _, err := io.ReadFull(f.r, b[at:]); err != nil {
			return b[:at], cutShort(err)
		}
		size -= k
	}
	return b, nil
}

// grow makes b longer by k bytes, whose content is not defined.
func grow(b []byte, k int) []byte {
	if cap(b)-len(b) < k {
		bigger := make([]byte, len(b), max(2*cap(b), len(b)+k))
		copy(bigger, b)
		b = bigger
	}
	return b[:len(b)+k]
}

// length reads what stands before a message.
func (f *frames) length(limit int) (int, error) {
	wait := f.idle
	for have := 1; ; have++ {
		if f.r.Buffered() < have {
			var deadline time.Time
			if wait > 0 {
				deadline = time.Now().Add(wait)
			}
			if err := f.s.SetReadDeadline(deadline); err != nil {
				return 0, err
			}
		}
		p, err := f.r.Peek(have)
		if err != nil {
			if have > 1 {
				err = cutShort(err)
			}
			return 0, err
		}
		n, size, err := wire.ConsumeLength(p, limit)
		if err != nil {
			return 0, err
		}
		if n > 0 {
			f.r.Discard(n)
			return size, nil
		}
		wait = f.stall
	}
}

// more reports whether a whole message is here already.
func (f *frames) more(limit int) bool {
	p, _ := f.r.Peek(min(f.r.Buffered(), 10))
	n, size, err := wire.ConsumeLength(p, limit)
	return err == nil && n > 0 && n+size <= f.r.Buffered()
}

func cutShort(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("in the middle of a message: %w", err)
}

// appendFrame appends a message behind its length.
func appendFrame(b, message []byte) []byte {
	return append(wire.AppendLength(b, len(message)), message...)
}
