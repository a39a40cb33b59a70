package conversation

import (
	"bytes"
	"testing"
	"time"
)

// sizes is a stream that records the sizes of writes.
type sizes struct {
	bytes.Buffer
	of []int
}

func (s *sizes) Write(b []byte) (int, error) {
	s.of = append(s.of, len(b))
	return s.Buffer.Write(b)
}

func (s *sizes) SetWriteDeadline(time.Time) error { return nil }

// All added bytes are written, in whole records except for the last one.
func TestRecords(t *testing.T) {
	var s sizes
	var want []byte
	r := records{to: &s, stall: time.Minute}
	for i, n := range []int{100, 256 << 10, 150, 256<<10 - 1, 0, recordSize, 1, 3*recordSize + 7} {
		b := bytes.Repeat([]byte{byte(i + 1)}, n)
		want = append(want, b...)
		if err := r.add(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.flush(); err != nil || !bytes.Equal(s.Bytes(), want) {
		t.Errorf("%d bytes are written, want %d, or others: %v", s.Len(), len(want), err)
	}
	for _, n := range s.of[:len(s.of)-1] {
		if n%recordSize != 0 {
			t.Errorf("%d bytes are written at a time, want whole records of %d: %v", n, recordSize, s.of)
			break
		}
	}
}
