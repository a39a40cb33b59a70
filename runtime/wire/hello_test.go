package wire

import (
	"bytes"
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"
)

var exampleHello = Hello{
	Protocol: 1, Fingerprint: []byte{0xaa, 0xbb}, Classes: []string{"server", "client"}, Incarnation: 99,
	MaxEnvelope: 1 << 24, MaxFill: 1 << 22, KernelLevel: "avx2", JoinProof: []byte("p"), BuildID: "b1",
}

// TestHelloGolden compares the bytes of a Hello with constants, as they must never change.
func TestHelloGolden(t *testing.T) {
	b, err := hex.DecodeString(goldenHello)
	if err != nil {
		t.Fatal(err)
	}
	if got := AppendHello(nil, &exampleHello); !bytes.Equal(got, b) {
		t.Errorf("got  %x\nwant %x", got, b)
	}
	lim := Edge()
	got, err := ConsumeHello(b, &lim)
	if err != nil || !reflect.DeepEqual(got, exampleHello) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A peer that does not report to be fresh may be an older one that cannot report it.
func TestHelloFresh(t *testing.T) {
	lim := Edge()
	for _, fresh := range []bool{false, true} {
		h := exampleHello
		h.Fresh = fresh
		if got, err := ConsumeHello(AppendHello(nil, &h), &lim); err != nil || !reflect.DeepEqual(got, h) {
			t.Errorf("got %+v, %v", got, err)
		}
	}
}

// TestHelloRefused checks that Hellos above a limit, and malformed ones, are refused.
func TestHelloRefused(t *testing.T) {
	lim := Edge()
	for _, tt := range []struct {
		h    Hello
		want string
	}{
		{Hello{Classes: make([]string, 9)}, "wire: hello: classes: got 9, the limit is 8"},
		{Hello{Fingerprint: make([]byte, 257)}, "wire: hello: fingerprint: got 257, the limit is 256"},
		{Hello{JoinProof: make([]byte, 257)}, "wire: hello: join proof: got 257, the limit is 256"},
		{Hello{BuildID: strings.Repeat("x", 129)}, "wire: hello: build id: got 129, the limit is 128"},
		{Hello{BuildID: "a\nb"}, "wire: hello: malformed message: build id: control character 0xa"},
		{Hello{KernelLevel: "\xff"}, "wire: hello: malformed message: kernel level is not UTF-8"},
		{Hello{Fingerprint: make([]byte, 5000)}, "wire: hello: got 5003, the limit is 4096"},
	} {
		if _, err := ConsumeHello(AppendHello(nil, &tt.h), &lim); err == nil || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

// TestLength checks that a length is read only when it is complete.
func TestLength(t *testing.T) {
	b := AppendLength(nil, 300)
	for i := range b {
		if n, _, err := ConsumeLength(b[:i], 1000); n != 0 || err != nil {
			t.Errorf("%x: got %d, %v", b[:i], n, err)
		}
	}
	if n, size, err := ConsumeLength(b, 1000); n != 2 || size != 300 || err != nil {
		t.Errorf("got %d, %d, %v", n, size, err)
	}
	if _, _, err := ConsumeLength(b, 299); err == nil {
		t.Error("a length beyond the limit is taken")
	}
	if _, _, err := ConsumeLength(bytes.Repeat([]byte{0xff}, 10), 1000); !errors.Is(err, ErrMalformed) {
		t.Errorf("got %v", err)
	}
}

// FuzzHello decodes arbitrary bytes; what is decoded must survive encoding.
func FuzzHello(f *testing.F) {
	f.Add(AppendHello(nil, &exampleHello))
	lim := Edge()
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := ConsumeHello(b, &lim)
		if err != nil {
			return
		}
		again, err := ConsumeHello(AppendHello(nil, &h), &lim)
		if err != nil || !bytes.Equal(AppendHello(nil, &again), AppendHello(nil, &h)) {
			t.Fatalf("%+v comes back as %+v, %v", h, again, err)
		}
	})
}
