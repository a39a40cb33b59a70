package wire

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

// JSON has peers as strings, and what is no peer is refused there as elsewhere, without effect.
func TestPeerIDInJSON(t *testing.T) {
	for _, tt := range peers {
		p, err := ParsePeerID(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(map[string]PeerID{"peer": p})
		if want := `{"peer":"` + tt.text + `"}`; err != nil || string(b) != want {
			t.Errorf("got %s, %v, want %s", b, err, want)
		}
		var back map[string]PeerID
		if err := json.Unmarshal(b, &back); err != nil || back["peer"] != p {
			t.Errorf("%s is read as %v, %v", b, back, err)
		}
		keep := p
		for _, text := range []string{"", "12D3KooW", strings.Repeat("1", 300)} {
			if err := p.UnmarshalText([]byte(text)); err == nil || p != keep {
				t.Errorf("%q is read as %v, %v; want an error, and %v as before", text, p, err, keep)
			}
		}
		if err := p.UnmarshalBinary(make([]byte, 38)); err == nil || p != keep {
			t.Errorf("38 zeros are read as %v, %v; want an error, and %v as before", p, err, keep)
		}
	}
}

// A key is the bytes of its words, little endian.
func TestPeerIDKey(t *testing.T) {
	for _, tt := range peers {
		p, err := ParsePeerID(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		key := p.Key()
		if got := hex.EncodeToString(key[:]); got != tt.key {
			t.Errorf("the key of %s is %s, want %s", tt.text, got, tt.key)
		}
		a, b, c, d := p.Words()
		for i, w := range []uint64{a, b, c, d} {
			if want := binary.LittleEndian.Uint64(key[8*i:]); w != want {
				t.Errorf("word %d of %s is %x, want %x", i, tt.text, w, want)
			}
		}
	}
}

// Messages for people name an execution by its origin, incarnation and number; no peer is a dash; hashes have 16 digits.
func TestStrings(t *testing.T) {
	p, err := ParsePeerID(peers[0].text)
	if err != nil {
		t.Fatal(err)
	}
	for want, got := range map[string]string{
		peers[0].text + "/3/14": ExecID{p, 3, 14}.String(),
		"-/0/1":                 ExecID{Number: 1}.String(),
		"-":                     PeerID{}.String(),
		"00000000000000ff":      EdgeID(255).String(),
		"ffffffffffffffff":      TypeHash(1<<64 - 1).String(),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestExecMalformed: an execution without an origin, or with one that is no peer, is refused. Fields that this version does not know
// are passed over.
func TestExecMalformed(t *testing.T) {
	p, err := ParsePeerID(peers[1].text)
	if err != nil {
		t.Fatal(err)
	}
	good := AppendExec(nil, ExecID{p, 2, 9})
	var x ExecID
	for name, b := range map[string][]byte{"as written": good, "with another field": appendVarint(good, 9<<3|varintType, 5), "in another order": append(good[originSize:len(good):len(good)], good[:originSize]...)} {
		if err := x.consume(b); err != nil || x != (ExecID{p, 2, 9}) {
			t.Errorf("%s: %v, %v", name, x, err)
		}
	}
	for name, b := range map[string][]byte{
		"nothing":                       nil,
		"no origin":                     good[originSize:],
		"a short origin":                append([]byte{byte(execOrigin), 2}, 0, 36),
		"an origin of another kind":     append([]byte{byte(execOrigin), 38}, make([]byte, 38)...),
		"the origin is the zero key":    AppendExec(nil, ExecID{PeerID{}, 2, 9}),
		"it ends in the origin":         good[:originSize-1],
		"it ends in a number":           good[:len(good)-1],
		"a number of more than 64 bits": append(good[:originSize:originSize], byte(execNumber), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01),
		"a type that protobuf lacks":    append(good[:originSize:originSize], 3<<3|7, 1),
	} {
		if err := x.consume(b); err == nil || !strings.Contains(err.Error(), "wire: ") {
			t.Errorf("%s: %v, %v, want an error", name, x, err)
		}
	}
}

// A message of the bulk stream is a chunk or an acknowledgement, by its first field.
func TestIsAck(t *testing.T) {
	for name, c := range map[string]struct {
		b    []byte
		want bool
	}{
		"an acknowledgement": {AppendAck(nil, Ack{Bulk: 1, Offset: 2, Credit: 3}), true},
		"a chunk":            {AppendChunk(nil, &Chunk{Bulk: 1, Data: []byte("data")}), false},
		"nothing":            {nil, false},
	} {
		if got := IsAck(c.b); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestChunkMalformed: a chunk whose data are not its end, or have another checksum, is refused.
func TestChunkMalformed(t *testing.T) {
	lim := Default()
	good := AppendChunk(nil, &Chunk{Bulk: 1, Offset: 5, CRC: CRC([]byte("data")), Data: []byte("data")})
	if c, err := ConsumeChunk(good, &lim); err != nil || string(c.Data) != "data" || c.Offset != 5 {
		t.Fatalf("%+v, %v", c, err)
	}
	wrong := append(good[:len(good)-1:len(good)-1], 'b')
	for name, b := range map[string][]byte{
		"nothing":                   nil,
		"no bulk id":                AppendChunk(nil, &Chunk{Offset: 5, Data: []byte("data")}),
		"no data":                   good[:4],
		"fewer bytes than it says":  good[:len(good)-1],
		"more bytes than it says":   append(good[:len(good):len(good)], 0),
		"bytes of another checksum": wrong,
	} {
		if c, err := ConsumeChunk(b, &lim); err == nil {
			t.Errorf("%s: %+v, want an error", name, c)
		}
	}
	if _, err := ConsumeChunk(wrong, &lim); err == nil || !strings.Contains(err.Error(), "bulk 1 at 5: checksum ") {
		t.Errorf("%v, want the place of the chunk", err)
	}
}

// TestBytesReadAt: reading behind the end is io.EOF, before the beginning an error, as [io.ReaderAt] wants.
func TestBytesReadAt(t *testing.T) {
	b := Bytes("abc")
	for _, c := range []struct {
		off  int64
		size int
		want string
		err  error
	}{{0, 3, "abc", nil}, {1, 2, "bc", nil}, {2, 2, "c", io.EOF}, {3, 1, "", io.EOF}, {1 << 40, 1, "", io.EOF}} {
		p := make([]byte, c.size)
		if n, err := b.ReadAt(p, c.off); string(p[:n]) != c.want || !errors.Is(err, c.err) {
			t.Errorf("%d bytes at %d: %q, %v, want %q, %v", c.size, c.off, p[:n], err, c.want, c.err)
		}
	}
	if _, err := b.ReadAt(make([]byte, 1), -1); err == nil || err == io.EOF {
		t.Errorf("%v at -1, want an error that is not the end", err)
	}
	if b.Retain(); b.Memory() != nil || b.Size() != 3 || string(b.Bytes()) != "abc" || b.CRC() != CRC([]byte("abc")) {
		t.Errorf("%d bytes with the checksum %08x", b.Size(), b.CRC())
	}
	if f := (&SlotFill{Payload: b, Bulk: Bulk{Size: 4}}); f.Len() != 7 {
		t.Errorf("3 bytes here and 4 to come are %d", f.Len())
	}
	if f := (&SlotFill{Payload: b, Blob: b}); f.Len() != 3 {
		t.Errorf("3 bytes of a blob are %d", f.Len())
	}
}
