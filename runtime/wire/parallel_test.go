package wire

import (
	"errors"
	"testing"
)

// FuzzParallel shows that any bytes are read or refused as malformed, and that what is read is written the same.
func FuzzParallel(f *testing.F) {
	f.Add(AppendParallel(nil, Parallel{1, true}))
	f.Add(AppendParallel(nil, Parallel{1 << 30, false}))
	f.Add([]byte("\xd8\x01\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ConsumeParallel(b)
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Fatal(err)
			}
			return
		}
		again := AppendParallel(nil, p)
		if q, err := ConsumeParallel(again); err != nil || q != p || !IsParallel(again) {
			t.Fatalf("%+v comes back as %+v, %v", p, q, err)
		}
	})
}

// TestIsParallel shows that a message of the envelope stream is only one of an envelope, a ping, an introduction and
// a parallel message.
func TestIsParallel(t *testing.T) {
	p := AppendParallel(nil, Parallel{Stream: 1})
	if !IsParallel(p) || IsPing(p) || IsIntroduction(p) {
		t.Errorf("%x is not only a parallel message", p)
	}
	for name, b := range map[string][]byte{
		"envelope":     AppendEnvelope(nil, &Envelope{Seq: 1}),
		"ping":         AppendPing(nil, Ping{ID: 1}),
		"introduction": AppendIntroduction(nil, &Introduction{}),
	} {
		if IsParallel(b) {
			t.Errorf("%s looks like a parallel message", name)
		}
	}
}
