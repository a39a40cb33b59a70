package conversation

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Source is where messages are read.
type Source interface {
	io.Reader
	SetReadDeadline(t time.Time) error
}

// Frames reads messages off a stream, each behind its length. It costs a peer
// that is slow on purpose its connection: a message that has begun must go on.
type Frames struct {
	s     Source
	r     *bufio.Reader
	idle  time.Duration // how long the next message may be waited for; 0: for ever
	stall time.Duration // how long the next bytes of a message may be waited for
	moves func()        // hears that bytes have come; nil: nobody wants to know
}

// arriving reads the stream, and says so.
type arriving Frames

func (a *arriving) Read(b []byte) (int, error) {
	n, err := a.s.Read(b)
	if n > 0 && a.moves != nil {
		a.moves()
	}
	return n, err
}

const (
	readBuffer = 16 << 10  // as much as TLS gives at once: larger reads go past it
	step       = 256 << 10 // bytes that a message grows by: what is announced costs nothing until it arrives
)

// NewFrames reads a stream. A message that has begun must go on within the time stall.
func NewFrames(s Source, stall time.Duration) *Frames {
	f := &Frames{s: s, stall: stall}
	f.r = bufio.NewReaderSize((*arriving)(f), readBuffer)
	return f
}

// SetIdle says how long the next message may be waited for; 0 is for ever.
func (f *Frames) SetIdle(d time.Duration) { f.idle = d }

// SetStall says how long the next bytes of a message may be waited for.
func (f *Frames) SetStall(d time.Duration) { f.stall = d }

// OnBytes has a function called whenever bytes have come, on the goroutine that reads.
func (f *Frames) OnBytes(moves func()) { f.moves = moves }

// Next appends the next message, of at most limit bytes, to b.
func (f *Frames) Next(b []byte, limit int) ([]byte, error) {
	size, err := f.Length(limit)
	if err != nil {
		return b, err
	}
	return f.Rest(b, size)
}

// Rest appends the next size bytes of a message that has begun to b.
func (f *Frames) Rest(b []byte, size int) ([]byte, error) {
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
		if err := f.Fill(b[at:]); err != nil {
			return b[:at], err
		}
		size -= k
	}
	return b, nil
}

// Fill reads bytes of a message that has begun, as many as b has.
func (f *Frames) Fill(b []byte) error { return f.fillBy(b, step, func(int) {}) }

// fillBy is fill in pieces. It says after each how many bytes are there.
func (f *Frames) fillBy(b []byte, piece int, there func(n int)) error {
	for at := 0; at < len(b); {
		if at%step == 0 {
			if err := f.s.SetReadDeadline(time.Now().Add(f.stall)); err != nil {
				return err
			}
		}
		end := min(at+piece, len(b))
		if _, err := io.ReadFull(f.r, b[at:end]); err != nil {
			return cutShort(err)
		}
		at = end
		there(at)
	}
	return nil
}

// Peek returns the first n bytes of a message that has begun.
func (f *Frames) Peek(n int) ([]byte, error) {
	if f.r.Buffered() < n {
		if err := f.s.SetReadDeadline(time.Now().Add(f.stall)); err != nil {
			return nil, err
		}
	}
	b, err := f.r.Peek(n)
	if err != nil {
		err = cutShort(err)
	}
	return b, err
}

// Skip reads n bytes that follow a message, and forgets them.
func (f *Frames) Skip(n int64) error {
	for n > 0 {
		if err := f.s.SetReadDeadline(time.Now().Add(f.stall)); err != nil {
			return err
		}
		k, err := io.CopyN(io.Discard, f.r, min(n, step))
		if err != nil {
			return cutShort(err)
		}
		n -= k
	}
	return nil
}

// Discard drops n bytes that peek has returned.
func (f *Frames) Discard(n int) { f.r.Discard(n) }

// grow makes b longer by k bytes, whose content is not defined.
func grow(b []byte, k int) []byte {
	if cap(b)-len(b) < k {
		bigger := make([]byte, len(b), max(2*cap(b), len(b)+k))
		copy(bigger, b)
		b = bigger
	}
	return b[:len(b)+k]
}

// Length reads what stands before a message: how many bytes it has, of at most limit.
func (f *Frames) Length(limit int) (int, error) {
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

// More reports whether a whole message is here already.
func (f *Frames) More(limit int) bool {
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

// AppendFrame appends a message behind its length.
func AppendFrame(b, message []byte) []byte {
	return append(wire.AppendLength(b, len(message)), message...)
}
