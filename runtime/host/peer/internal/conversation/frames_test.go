package conversation

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"
	"time"

	"github.com/bbgen/bbgen/runtime/wire"
)

// reading is a stream that can only be read.
type reading struct{ io.Reader }

func (r reading) SetReadDeadline(time.Time) error { return nil }

func FuzzFrames(f *testing.F) {
	f.Add(AppendFrame(AppendFrame(nil, []byte("one")), []byte("two")), uint64(1))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), uint64(2))
	f.Add(binary.AppendUvarint(nil, 1<<40), uint64(3))
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		const limit = 1000
		// The messages are the same for any division of the bytes into reads.
		read := func(r io.Reader) (list [][]byte, err error) {
			x := NewFrames(reading{Reader: r}, time.Second)
			for {
				var m []byte
				if m, err = x.Next(nil, limit); err != nil {
					return list, err
				}
				if len(m) > limit {
					t.Fatalf("a message of %d bytes, the limit is %d", len(m), limit)
				}
				list = append(list, m)
			}
		}
		whole, err := read(bytes.NewReader(b))
		single, err2 := read(iotest.OneByteReader(bytes.NewReader(b)))
		if len(whole) != len(single) || err.Error() != err2.Error() {
			t.Fatalf("%d messages, %v; byte by byte %d, %v", len(whole), err, len(single), err2)
		}
		var again []byte
		for i := range whole {
			if !bytes.Equal(whole[i], single[i]) {
				t.Fatalf("message %d is %x, byte by byte %x", i, whole[i], single[i])
			}
			again = AppendFrame(again, whole[i])
		}
		if err == io.EOF && len(again) > len(b) {
			t.Fatalf("%d bytes of messages out of %d", len(again), len(b))
		}
	})
}

// An announced length costs no memory until the bytes arrive.
func TestFrameMemory(t *testing.T) {
	b := append(wire.AppendLength(nil, 1<<30), make([]byte, 1000)...)
	m, err := NewFrames(reading{Reader: bytes.NewReader(b)}, time.Second).Next(nil, 1<<30)
	if !errors.Is(err, io.ErrUnexpectedEOF) || cap(m) > 2*step {
		t.Errorf("%d bytes are held, %v", cap(m), err)
	}
}

// Messages of all sizes around those of buffers arrive unchanged.
func TestFrameSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var b []byte
	var want [][]byte
	for _, size := range []int{0, 1, 127, 128, readBuffer - 3, readBuffer - 2, readBuffer, readBuffer + 1, step - 1, step, step + 1, 3*step + 7, 5} {
		m := make([]byte, size)
		for i := range m {
			m[i] = byte(r.Uint32())
		}
		want = append(want, m)
		b = AppendFrame(b, m)
	}
	x := NewFrames(reading{Reader: bytes.NewReader(b)}, time.Second)
	var buf []byte
	for i, m := range want {
		var err error
		if buf, err = x.Next(buf[:0], 1<<20); err != nil || !bytes.Equal(buf, m) {
			t.Fatalf("message %d of %d bytes: got %d, %v", i, len(m), len(buf), err)
		}
	}
}

// Each piece of a long message is reported before the message is complete: on a slow link it is the only sign
// of life.
func TestMoves(t *testing.T) {
	const long = 1 << 20
	b := AppendFrame(nil, make([]byte, long))
	moves := 0
	x := NewFrames(reading{Reader: iotest.HalfReader(bytes.NewReader(b))}, time.Second)
	x.moves = func() { moves++ }
	if m, err := x.Next(nil, long); err != nil || len(m) != long || moves < 10 {
		t.Errorf("%d bytes, %v, and %d pieces were told", len(m), err, moves)
	}
}

// Bytes behind a message are skipped, and the next message is read; More reports whether that has arrived as a whole,
// so that a reader does not wait with messages in its hands.
func TestSkip(t *testing.T) {
	extra := make([]byte, step+10)
	b := append(AppendFrame(nil, []byte("one")), extra...)
	b = AppendFrame(AppendFrame(b, []byte("two")), []byte("three"))
	x := NewFrames(reading{bytes.NewReader(b[:len(b)-1])}, time.Second)
	x.SetIdle(time.Minute)
	if m, err := x.Next(nil, 10); err != nil || string(m) != "one" {
		t.Fatalf("got %q, %v", m, err)
	}
	if err := x.Skip(int64(len(extra))); err != nil {
		t.Fatal(err)
	}
	if m, err := x.Next(nil, 10); err != nil || string(m) != "two" {
		t.Fatalf("got %q, %v", m, err)
	}
	if x.More(10) {
		t.Error("a message that is cut short has arrived")
	}
	if err := x.Skip(100); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("skipping beyond the end: %v", err)
	}
	y := NewFrames(reading{bytes.NewReader(AppendFrame(AppendFrame(nil, []byte("one")), []byte("two")))}, time.Second)
	if _, err := y.Next(nil, 10); err != nil || !y.More(10) || y.More(2) {
		t.Errorf("the next message has arrived, and is longer than 2 bytes: %v", err)
	}
}

// A stream whose deadlines cannot be set is not read: a silent peer would hold the reader for ever.
func TestNoDeadline(t *testing.T) {
	broken := errors.New("broken")
	for name, read := range map[string]func(f *Frames) error{
		"Length": func(f *Frames) error { _, err := f.Length(10); return err },
		"Fill":   func(f *Frames) error { return f.Fill(make([]byte, 1)) },
		"Peek":   func(f *Frames) error { _, err := f.Peek(1); return err },
		"Skip":   func(f *Frames) error { return f.Skip(1) },
	} {
		if err := read(NewFrames(&failing{deadline: broken}, time.Second)); !errors.Is(err, broken) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := NewFrames(&failing{}, time.Second).Peek(1); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the end inside a message is %v", err)
	}
}
