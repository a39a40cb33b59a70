package wire

import (
	"errors"
	"testing"
)

// FuzzPing decodes arbitrary bytes; what is decoded must survive encoding.
func FuzzPing(f *testing.F) {
	f.Add(AppendPing(nil, Ping{1, false, 1 << 60, 1e9}))
	f.Add(AppendPing(nil, Ping{1 << 63, true, 0, 0}))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ConsumePing(b)
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Fatal(err)
			}
			return
		}
		again := AppendPing(nil, p)
		if q, err := ConsumePing(again); err != nil || q != p || !IsPing(again) {
			t.Fatalf("%+v comes back as %+v, %v", p, q, err)
		}
	})
}

// A message of the stream is a ping or an envelope, never both.
func TestIsPing(t *testing.T) {
	for _, e := range []Envelope{{}, {Seq: 1}, {Ack: 5}, {Dest: []Address{"/ip4/192.0.2.1"}}} {
		if b := AppendEnvelope(nil, &e); IsPing(b) {
			t.Errorf("%+v looks like a ping", e)
		}
	}
}
