package conversation

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Source is a stream from which messages are read.
type Source interface {
	io.Reader
	SetReadDeadline(t time.Time) error
}

// Frames reads messages with a length prefix from a stream. A peer that sends too slowly loses its connection:
// once a message has begun, bytes must keep arriving.
type Frames struct {
	s     Source
	r     *bufio.Reader
	idle  time.Duration // how long to wait for the next message; 0: for ever
	stall time.Duration // how long to wait for the next bytes of a message
	moves func()        // called when bytes arrive; may be nil
}

// arriving reads the stream, and reports received bytes.
type arriving Frames

func (a *arriving) Read(b []byte) (int, error) {
	n, err := a.s.Read(b)
	if n > 0 && a.moves != nil {
		a.moves()
	}
	return n, err
}

const (
	readBuffer = 16 << 10  // the most that TLS returns at once: larger reads bypass the buffer
	step       = 256 << 10 // bytes by which a message grows: memory is allocated for received bytes, not for the announced length
)

// NewFrames reads a stream. Once a message has begun, its bytes must keep arriving within the time stall.
func NewFrames(s Source, stall time.Duration) *Frames {
	f := &Frames{s: s, stall: stall}
	f.r = bufio.NewReaderSize((*arriving)(f), readBuffer)
	return f
}

// SetIdle sets how long to wait for the next message; 0 is for ever.
func (f *Frames) SetIdle(d time.Duration) { f.idle = d }

// SetStall sets how long to wait for the next bytes of a message.
func (f *Frames) SetStall(d time.Duration) { f.stall = d }

// OnBytes sets a function that is called whenever bytes arrive, by the reading goroutine.
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

// Fill reads len(b) bytes of a message that has begun.
func (f *Frames) Fill(b []byte) error { return f.fillInPieces(b, step, func(int) {}) }

// fillInPieces is Fill in pieces. After each piece it calls there with the number of bytes so far.
func (f *Frames) fillInPieces(b []byte, piece int, there func(n int)) error {
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

// Skip reads and discards n bytes that follow a message.
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

// Discard drops n bytes that Peek has returned.
func (f *Frames) Discard(n int) { f.r.Discard(n) }

// grow makes b longer by k bytes with undefined contents.
func grow(b []byte, k int) []byte {
	if cap(b)-len(b) < k {
		bigger := make([]byte, len(b), max(2*cap(b), len(b)+k))
		copy(bigger, b)
		b = bigger
	}
	return b[:len(b)+k]
}

// Length reads the length prefix of a message of at most limit bytes.
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

// More reports whether a whole message has arrived already.
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

// AppendFrame appends the length of a message, and the message.
func AppendFrame(b, message []byte) []byte {
	return append(wire.AppendLength(b, len(message)), message...)
}
