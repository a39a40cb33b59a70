package wire

import (
	"bytes"
	"crypto/sha256"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// naiveBase58 is base58 by division of one large number.
func naiveBase58(b []byte) string {
	x, base, digit := new(big.Int).SetBytes(b), big.NewInt(58), new(big.Int)
	var text []byte
	for x.Sign() > 0 {
		x.DivMod(x, base, digit)
		text = append(text, base58Digits[digit.Int64()])
	}
	for i := 0; i < len(b) && b[i] == 0; i++ {
		text = append(text, '1')
	}
	slices.Reverse(text)
	return string(text)
}

// TestBase58 compares encoding and decoding with large numbers, for all lengths of multihashes, zeros and all bits set included.
func TestBase58(t *testing.T) {
	w := writer{rand.New(rand.NewPCG(1, 1))}
	for n := range maxMultihash + 1 {
		for i := range 20 {
			b := make([]byte, n)
			for k := range b {
				switch {
				case i == 0: // all zeros
				case i == 1:
					b[k] = 0xff
				case k >= w.IntN(3)*i/4:
					b[k] = byte(w.Uint32())
				}
			}
			text := string(appendBase58(nil, b))
			if want := naiveBase58(b); text != want {
				t.Fatalf("%x is %s, want %s", b, text, want)
			}
			got := bytes.Repeat([]byte{0xaa}, n)
			if err := decodeBase58(got, text); err != nil || !bytes.Equal(got, b) {
				t.Fatalf("%s is %x, %v, want %x", text, got, err, b)
			}
			for _, wrong := range []int{n - 1, n + 1} {
				if wrong >= 0 && decodeBase58(make([]byte, wrong), text) == nil {
					t.Fatalf("%s of %d bytes is decoded as %d", text, n, wrong)
				}
			}
		}
	}
}

// TestPeerTexts: a peer has one text. No other text, with a character changed, added or removed, is read as a peer with another
// text.
func TestPeerTexts(t *testing.T) {
	for i := range peers {
		p := peer(t, i)
		text := p.String()
		for at := range text {
			for _, c := range "10OIlzZ2 \x00é" {
				for _, other := range []string{text[:at] + string(c) + text[at+1:], text[:at] + string(c) + text[at:], text[:at] + text[at+1:]} {
					if got, err := ParsePeerID(other); err == nil && got.String() != other {
						t.Errorf("%q is read as %v", other, got)
					}
				}
			}
		}
	}
	for _, text := range []string{"", "1", "-", strings.Repeat("1", maxPeerText), strings.Repeat("z", maxPeerText), strings.Repeat("z", 1<<20)} {
		if got, err := ParsePeerID(text); err == nil {
			t.Errorf("%.50q is read as %v", text, got)
		}
	}
}

// TestCompareIsThatOfBytes: peers are in the order of their keys' bytes, and only equal ones have the same hash.
func TestCompareIsThatOfBytes(t *testing.T) {
	w := writer{rand.New(rand.NewPCG(2, 2))}
	for range 5000 {
		a, b := make([]byte, 32), make([]byte, 32)
		for i := range a {
			a[i] = byte(w.Uint32())
		}
		copy(b, a)
		for range w.IntN(3) {
			b[w.IntN(32)] = byte(w.Uint32())
		}
		p, _ := PeerIDOf(a)
		q, _ := PeerIDOf(b)
		if got, want := p.Compare(q), bytes.Compare(a, b); got != want || (p == q) != (want == 0) {
			t.Fatalf("%x and %x: %d, want %d", a, b, got, want)
		}
		if key := p.Key(); !bytes.Equal(key[:], a) {
			t.Fatalf("the key of %x is %x", a, key)
		}
		sum := sha256.Sum256(append([]byte{8, 1, 18, 32}, a...))
		if !p.HasHash(sum[:], sha256.Sum256) || p != q && q.HasHash(sum[:], sha256.Sum256) || p.HasHash(sum[:31], sha256.Sum256) {
			t.Fatalf("the hash of %x is another one", a)
		}
	}
}

// randomHello returns a Hello within the limits.
func (w writer) randomHello(lim *Limits) Hello {
	name := func() string { return strings.Repeat("é", w.IntN(lim.Name/2+1)) }
	h := Hello{Protocol: w.Uint32(), Incarnation: w.value(), Fresh: w.IntN(2) == 0, MaxEnvelope: w.value(), MaxFill: w.value(), KernelLevel: name(),
		BuildID: name(), Unix: w.value(), Introduces: w.IntN(2) == 0, Refusal: name(), Conversation: w.value(), Streams: int(w.Uint32() >> 1), Stream: w.IntN(5)}
	if b := w.blob(lim.Proof); len(b) > 0 {
		h.Fingerprint, h.JoinProof = b, b
	}
	for range w.IntN(lim.Classes + 1) {
		h.Classes = append(h.Classes, name())
	}
	return h
}

// TestHellos: what is written is read, and nothing that is read from damaged bytes exceeds a limit or has characters that
// do not belong into a log.
func TestHellos(t *testing.T) {
	lim := Edge()
	lim.Name, lim.Proof, lim.Classes, lim.Hello = 16, 20, 3, 1<<10
	w := writer{rand.New(rand.NewPCG(3, 3))}
	for range 20000 {
		h := w.randomHello(&lim)
		b := AppendHello(nil, &h)
		for w.IntN(3) == 0 { // fields of newer versions
			b = w.varint(b, protowire.Number(17+w.IntN(1000)), w.value())
		}
		if got, err := ConsumeHello(b, &lim); err != nil || !reflect.DeepEqual(got, h) {
			t.Fatalf("%x is read as %+v, %v, want %+v", b, got, err, h)
		}
		b = w.damage(b)
		got, err := ConsumeHello(b, &lim)
		if err != nil {
			continue
		}
		if len(got.Classes) > lim.Classes || len(got.Fingerprint) > lim.Proof || len(got.JoinProof) > lim.Proof || got.Streams < 0 || got.Stream < 0 {
			t.Fatalf("%x is read as %+v", b, got)
		}
		for _, s := range append(got.Classes, got.KernelLevel, got.BuildID, got.Refusal) {
			if len(s) > lim.Name || strings.ToValidUTF8(s, "") != s || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Fatalf("%x has a name %q", b, s)
			}
		}
	}
}

// TestIntroductionsAndPings: what is written is read, no kind of message is taken for another, and damaged ones are refused or
// within the limits.
func TestIntroductionsAndPings(t *testing.T) {
	lim := Edge()
	w := writer{rand.New(rand.NewPCG(4, 4))}
	kinds := func(b []byte) (n int) {
		for _, is := range []func([]byte) bool{IsPing, IsIntroduction, IsParallel} {
			if is(b) {
				n++
			}
		}
		return n
	}
	for range 20000 {
		var b []byte
		switch w.IntN(4) {
		case 0:
			x := Introduction{Rank: int(w.Uint32() >> 1), Class: strings.Repeat("c", w.IntN(lim.Name+1))}
			if w.IntN(2) == 0 {
				x.Peer = peer(t, w.IntN(2))
			}
			for range w.IntN(lim.Addresses + 1) {
				x.Addresses = append(x.Addresses, "/dns/a.example/tcp/1")
			}
			for range w.IntN(lim.Classes + 1) {
				x.Receives = append(x.Receives, "client")
			}
			b = AppendIntroduction(nil, &x)
			if got, err := ConsumeIntroduction(b, &lim); err != nil || !reflect.DeepEqual(got, x) {
				t.Fatalf("%x is read as %+v, %v, want %+v", b, got, err, x)
			}
		case 1:
			p := Ping{ID: max(w.value(), 1), Answer: w.IntN(2) == 0, Unix: w.value(), Every: w.value()}
			b = AppendPing(nil, p)
			if got, err := ConsumePing(b); err != nil || got != p {
				t.Fatalf("%x is read as %+v, %v, want %+v", b, got, err, p)
			}
		case 2:
			p := Parallel{Stream: 1 + w.IntN(math.MaxInt32), Opens: w.IntN(2) == 0}
			b = AppendParallel(nil, p)
			if got, err := ConsumeParallel(b); err != nil || got != p {
				t.Fatalf("%x is read as %+v, %v, want %+v", b, got, err, p)
			}
		default:
			b = w.usual(peer(t, 0))
			if kinds(b) != 0 {
				t.Fatalf("envelope %x is taken for another message", b)
			}
			continue
		}
		if kinds(b) != 1 {
			t.Fatalf("%x is %d kinds of messages", b, kinds(b))
		}
		b = w.damage(b)
		if x, err := ConsumeIntroduction(b, &lim); err == nil && (x.Rank < 0 || len(x.Addresses) > lim.Addresses || len(x.Receives) > lim.Classes) {
			t.Fatalf("%x is read as %+v", b, x)
		}
		if p, err := ConsumePing(b); err == nil && p.ID == 0 {
			t.Fatalf("%x is a ping without a number", b)
		}
		if p, err := ConsumeParallel(b); err == nil && p.Stream <= 0 {
			t.Fatalf("%x is of stream %d", b, p.Stream)
		}
	}
}

// TestAssemblyModel assembles payloads of chunks that overlap, go back, leave gaps, are of other payloads, go beyond the end or
// have other bytes, and compares with a slice. A wrong payload is never complete, and memory grows with what has come.
func TestAssemblyModel(t *testing.T) {
	for seed := range uint64(400) {
		w := writer{rand.New(rand.NewPCG(seed, 5))}
		payload := make([]byte, 1+w.IntN(1<<w.IntN(18)))
		for i := range payload {
			payload[i] = byte(w.Uint32())
		}
		bulk := Bulk{ID: 1 + w.Uint64N(3), Size: uint64(len(payload)), CRC: CRC(payload)}
		a, err := NewAssembly(bulk, int64(len(payload)))
		if err != nil {
			t.Fatal(err)
		}
		var have []byte // what the assembly holds
		for range 500 {
			off := uint64(max(len(have)-w.IntN(40), 0))
			if w.IntN(10) == 0 {
				off = w.value() % (2*bulk.Size + 1)
			}
			rest := payload[min(off, bulk.Size):]
			data := slices.Clone(rest[:w.IntN(len(rest)+1)])
			c := Chunk{Bulk: bulk.ID, Offset: off, Data: data}
			switch w.IntN(40) {
			case 0:
				c.Bulk++
			case 1:
				c.Data = append(data, make([]byte, 1+len(rest))...) // beyond the end
			case 2:
				c.Offset = math.MaxUint64 - w.Uint64N(3)
			}
			ok := c.Bulk == bulk.ID && c.Offset <= uint64(len(have)) && c.Offset+uint64(len(c.Data)) <= bulk.Size
			if err := a.Add(c); ok != (err == nil) {
				t.Fatalf("seed %d: %d bytes at %d of %d, after %d: %v", seed, len(c.Data), c.Offset, bulk.Size, len(have), err)
			}
			if end := c.Offset + uint64(len(c.Data)); ok && end > uint64(len(have)) {
				have = payload[:end]
			}
			if a.Offset() != uint64(len(have)) || !bytes.Equal(a.data, have) || cap(a.data) > max(growth*len(have), 1<<16)*9/8 {
				t.Fatalf("seed %d: %d bytes in %d, want %d", seed, a.Offset(), cap(a.data), len(have))
			}
			if len(have) == len(payload) {
				break
			}
		}
		x, err := a.Done()
		switch {
		case err != nil || (x != nil) != (len(have) == len(payload)):
			t.Fatalf("seed %d: %d of %d bytes, done: %v, %v", seed, len(have), len(payload), x != nil, err)
		case x == nil:
			a.Drop()
		default:
			if !bytes.Equal(x.Bytes(), payload) || x.CRC() != bulk.CRC {
				t.Errorf("seed %d: another payload", seed)
			}
			x.Release()
		}
	}
}

// TestWrongBytesAreNoPayload: one bit of difference anywhere, in the first or a repeated chunk, is found in the end.
func TestWrongBytesAreNoPayload(t *testing.T) {
	payload := bytes.Repeat([]byte("payload "), 9)
	bulk := Bulk{ID: 1, Size: uint64(len(payload)), CRC: CRC(payload)}
	for bit := range 8 * len(payload) {
		for _, again := range []bool{false, true} {
			a, err := NewAssembly(bulk, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			wrong := slices.Clone(payload)
			wrong[bit/8] ^= 1 << (bit % 8)
			first, second := wrong[:40], wrong[40:]
			if again { // the first chunk comes twice, the second time into its place
				if err := a.Add(Chunk{Bulk: 1, Data: payload[:40]}); err != nil {
					t.Fatal(err)
				}
				room, err := a.Room(Chunk{Bulk: 1}, 40)
				if err != nil {
					t.Fatal(err)
				}
				copy(room, first)
				a.Commit(Chunk{Bulk: 1}, 40)
			} else if err := a.Add(Chunk{Bulk: 1, Data: first}); err != nil {
				t.Fatal(err)
			}
			if err := a.Add(Chunk{Bulk: 1, Offset: 40, Data: second}); err != nil {
				t.Fatal(err)
			}
			if x, err := a.Done(); err == nil || x != nil {
				t.Fatalf("bit %d is wrong, and the payload is complete", bit)
			}
			a.Drop()
		}
	}
}

// TestLengths: the length before a message is read from its first bytes, whatever comes in which piece, and a limit holds.
func TestLengths(t *testing.T) {
	w := writer{rand.New(rand.NewPCG(6, 6))}
	for range 20000 {
		size, limit := w.value(), int(w.value()&math.MaxInt32)
		b := w.number(nil, size)
		for i := range b {
			if n, _, err := ConsumeLength(b[:i], limit); n != 0 || err != nil {
				t.Fatalf("%d of %d bytes of %d: %d, %v", i, len(b), size, n, err)
			}
		}
		n, got, err := ConsumeLength(append(b, 0xff), limit)
		if fits := size <= uint64(limit); fits != (err == nil) || fits && (n != len(b) || got != int(size)) {
			t.Fatalf("%d within %d: %d of %d bytes, %d, %v", size, limit, n, len(b), got, err)
		}
	}
	for _, b := range []string{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", strings.Repeat("\xff", 10), strings.Repeat("\x80", 11) + "\x01"} {
		if _, _, err := ConsumeLength([]byte(b), math.MaxInt32); err == nil {
			t.Errorf("%x is a length", b)
		}
	}
}
