package wire

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// Numbers are read like protowire reads them, at any place in a message.
func FuzzNumber(f *testing.F) {
	for shift := range 64 {
		f.Add(protowire.AppendVarint(nil, 1<<shift), 0)
		f.Add(append([]byte{0xff}, protowire.AppendVarint(nil, 1<<shift-1)...), 8)
	}
	f.Add([]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02}, 3)
	f.Add([]byte{0x80, 0x00}, 6)
	f.Fuzz(func(t *testing.T, b []byte, behind int) {
		b = append(b, make([]byte, uint(behind)%16)...)
		for at := range b {
			want, n := protowire.ConsumeVarint(b[at:])
			got, end := number(b, at)
			switch {
			case n < 0 && end != n:
				t.Fatalf("%x at %d: got %d, want %d", b, at, end, n)
			case n >= 0 && (got != want || end != at+n):
				t.Fatalf("%x at %d: got %d and the end %d, want %d and %d", b, at, got, end, want, at+n)
			}
		}
	})
}
