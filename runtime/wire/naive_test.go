package wire

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// A decoder of envelopes that follows wire.proto and the documented limits field by field with protowire, and nothing else.

// naiveFields calls visit with each field of a message. It returns false if the bytes are no message.
func naiveFields(b []byte, visit func(num protowire.Number, typ protowire.Type, v uint64, p []byte) bool) bool {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return false
		}
		b = b[n:]
		var v uint64
		var p []byte
		m := protowire.ConsumeFieldValue(num, typ, b)
		if m < 0 {
			return false
		}
		switch typ {
		case protowire.VarintType:
			v, _ = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			f, _ := protowire.ConsumeFixed32(b)
			v = uint64(f)
		case protowire.BytesType:
			p, _ = protowire.ConsumeBytes(b)
		}
		if b = b[m:]; !visit(num, typ, v, p) {
			return false
		}
	}
	return true
}

func naiveEnvelope(b []byte, lim *Limits) (e Envelope, ok bool) {
	if len(b) == 0 || len(b) > lim.Envelope {
		return e, false
	}
	const number, bytes = protowire.VarintType, protowire.BytesType
	ok = naiveFields(b, func(num protowire.Number, typ protowire.Type, v uint64, p []byte) bool {
		switch {
		case num == 1 && typ == bytes, num == 8 && typ == bytes:
			a, err := consumeMultiaddr(p, lim)
			list := &e.Dest
			if num == 8 {
				list = &e.SrcAddrs
			}
			*list = append(*list, a)
			return err == nil && len(*list) <= lim.Addresses
		case num == 2 && typ == bytes:
			f, ok := naiveFill(p, lim)
			e.Fills = append(e.Fills, f)
			return ok && len(e.Fills) <= lim.Fills
		case num == 29 && typ == bytes:
			f, ok := naiveLoss(p, lim)
			e.Fills = append(e.Fills, f)
			return ok && len(e.Fills) <= lim.Fills
		case num == 3 && typ == bytes:
			e.Request = Correlation{}
			return naiveFields(p, func(num protowire.Number, typ protowire.Type, v uint64, p []byte) bool {
				switch {
				case num == 1 && typ == number:
					e.Request.Kind = CorrelationKind(v)
					return v <= 2
				case num == 2 && typ == number:
					e.Request.ID = v
				}
				return true
			})
		case num == 4 && typ == number:
			e.Within = v
		case num == 6 && typ == bytes:
			var err error
			e.Src, e.SrcHash, err = consumeSource(p)
			return err == nil
		case num == 7 && typ == number:
			return v <= SchemaVersion
		case num == 16 && typ == bytes:
			e.Exec = ExecID{}
			ok := naiveFields(p, func(num protowire.Number, typ protowire.Type, v uint64, p []byte) bool {
				switch {
				case num == 1 && typ == bytes:
					return e.Exec.Origin.UnmarshalBinary(p) == nil
				case num == 2 && typ == number:
					e.Exec.Incarnation = v
				case num == 3 && typ == number:
					e.Exec.Number = v
				}
				return true
			})
			return ok && !e.Exec.Origin.IsZero()
		case num == 17 && typ == number:
			e.Seq = v
		case num == 18 && typ == number:
			e.Ack = v
		case num == 30 && typ == number:
			e.Released = v
		case num == 31 && typ == number:
			e.Before = v
		}
		return true
	})
	return e, ok
}

func naiveFill(b []byte, lim *Limits) (f SlotFill, ok bool) {
	const number, bytes = protowire.VarintType, protowire.BytesType
	dim := func(v uint64) bool {
		f.Dims = append(f.Dims, v)
		return v <= math.MaxInt32 && len(f.Dims) <= lim.Dims
	}
	ok = naiveFields(b, func(num protowire.Number, typ protowire.Type, v uint64, p []byte) bool {
		switch {
		case num == 1 && typ == bytes:
			f.Suffix = p
			return len(p) <= lim.Suffix
		case num == 2 && typ == bytes:
			if f.Payload = p; len(p) == 0 {
				f.Payload = nil
			}
			return len(p) <= lim.Fill
		case num == 3 && typ == number:
			f.Trigger = v != 0
		case num == 4 && typ == number:
			f.Type = TypeHash(v)
		case num == 16 && typ == bytes:
			f.Bulk = Bulk{}
			ok := naiveFields(p, func(num protowire.Number, typ protowire.Type, v uint64, p []byte) bool {
				switch {
				case num == 1 && typ == number:
					f.Bulk.ID = v
				case num == 2 && typ == number:
					f.Bulk.Size = v
				case num == 3 && typ == protowire.Fixed32Type:
					f.Bulk.CRC = uint32(v)
				}
				return true
			})
			return ok && f.Bulk.ID != 0 && f.Bulk.Size != 0 && f.Bulk.Size <= uint64(lim.Bulk)
		case num == 17 && typ == number:
			return dim(v)
		case num == 17 && typ == bytes:
			for len(p) > 0 {
				v, n := protowire.ConsumeVarint(p)
				if n < 0 || !dim(v) {
					return false
				}
				p = p[n:]
			}
		}
		return true
	})
	kinds := 0
	for _, has := range []bool{len(f.Payload) > 0, f.Trigger, f.Bulk.ID != 0} {
		if has {
			kinds++
		}
	}
	return f, ok && kinds <= 1
}

func naiveLoss(b []byte, lim *Limits) (f SlotFill, ok bool) {
	f.Lost = "no reason"
	ok = naiveFields(b, func(num protowire.Number, typ protowire.Type, _ uint64, p []byte) bool {
		switch {
		case num == 1 && typ == protowire.BytesType:
			f.Suffix = p
			return len(p) <= lim.Suffix
		case num == 2 && typ == protowire.BytesType:
			if len(p) > 0 {
				f.Lost = string(p)
			}
			return len(p) <= MaxReason
		}
		return true
	})
	return f, ok
}

// writer writes random messages: fields in any order, several times, of other types, unknown, and with numbers that are
// longer than they need be.
type writer struct{ *rand.Rand }

// number appends v, sometimes with superfluous bytes.
func (w writer) number(b []byte, v uint64) []byte {
	b = protowire.AppendVarint(b, v)
	for n := protowire.SizeVarint(v); n < 9 && w.IntN(30) == 0; n++ {
		b[len(b)-1] |= 0x80
		b = append(b, 0)
	}
	return b
}

func (w writer) varint(b []byte, num protowire.Number, v uint64) []byte {
	return w.number(w.number(b, uint64(num)<<3), v)
}

func (w writer) bytes(b []byte, num protowire.Number, p []byte) []byte {
	return append(w.number(w.number(b, uint64(num)<<3|2), uint64(len(p))), p...)
}

// value returns a number near to a limit, or any.
func (w writer) value() uint64 {
	edges := []uint64{0, 1, 2, 3, 127, 128, 1 << 14, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32, 1 << 32, 64 << 20, 64<<20 + 1, math.MaxInt64, 1 << 63, math.MaxUint64}
	if w.IntN(4) > 0 {
		return edges[w.IntN(len(edges))]
	}
	return w.Uint64() >> w.IntN(64)
}

func (w writer) blob(most int) []byte {
	p := make([]byte, w.IntN(most+1))
	for i := range p {
		p[i] = byte(w.Uint32())
	}
	return p
}

// unknown appends a field that no message has, or one that it has with another type.
func (w writer) unknown(b []byte) []byte {
	num := protowire.Number(1 + w.IntN(40))
	switch w.IntN(6) {
	case 0:
		return protowire.AppendFixed64(protowire.AppendTag(b, num, protowire.Fixed64Type), w.Uint64())
	case 1:
		return protowire.AppendFixed32(protowire.AppendTag(b, num, protowire.Fixed32Type), w.Uint32())
	case 2: // a group, also within a group
		b = protowire.AppendTag(b, num, protowire.StartGroupType)
		if w.IntN(2) == 0 {
			b = w.unknown(b)
		}
		return protowire.AppendTag(b, num, protowire.EndGroupType)
	case 3:
		return w.varint(b, protowire.Number(1+w.IntN(1<<29-1)), w.value())
	case 4:
		return w.bytes(b, 32+num, w.blob(5))
	}
	return w.varint(b, num, w.value())
}

func (w writer) exec(p PeerID) (b []byte) {
	id, _ := p.AppendBinary(nil)
	for n := w.IntN(5); n >= 0; n-- {
		switch w.IntN(6) {
		case 0, 1:
			b = w.bytes(b, 1, id)
		case 2:
			b = w.varint(b, 2, w.value())
		case 3:
			b = w.varint(b, 3, w.value())
		case 4:
			b = AppendExec(b, ExecID{p, w.value(), w.value()})
		default:
			b = w.unknown(b)
		}
	}
	return b
}

func (w writer) fill() (b []byte) {
	for n := w.IntN(6); n > 0; n-- {
		switch w.IntN(8) {
		case 0, 1:
			b = w.bytes(b, 1, AppendSite(nil, EdgeID(w.Uint64())))
		case 2:
			b = w.bytes(b, 2, w.blob(20))
		case 3:
			b = w.varint(b, 3, w.value()%3)
		case 4:
			b = w.varint(b, 4, w.value())
		case 5:
			x := w.varint(w.varint(nil, 1, w.value()), 2, w.value())
			b = w.bytes(b, 16, protowire.AppendFixed32(protowire.AppendTag(x, 3, protowire.Fixed32Type), w.Uint32()))
		case 6:
			var dims []byte
			for range w.IntN(20) {
				dims = w.number(dims, w.value()%(1<<31+1))
			}
			if b = w.bytes(b, 17, dims); w.IntN(3) == 0 {
				b = w.varint(b, 17, w.value())
			}
		default:
			b = w.unknown(b)
		}
	}
	return b
}

func (w writer) envelope(p PeerID) (b []byte) {
	id, _ := p.AppendBinary(nil)
	for n := w.IntN(8); n >= 0; n-- {
		switch w.IntN(14) {
		case 0:
			b = w.bytes(b, 1, []byte("/ip4/192.0.2.1/tcp/1"))
		case 1:
			b = w.bytes(b, 8, []byte("/dns/a/tcp/2"))
		case 2, 3, 4:
			b = w.bytes(b, 2, w.fill())
		case 5:
			b = w.bytes(b, 29, w.bytes(w.bytes(nil, 1, w.blob(12)), 2, w.blob(MaxReason+1)))
		case 6:
			b = w.bytes(b, 3, w.varint(w.varint(nil, 1, w.value()%4), 2, w.value()))
		case 7:
			b = w.bytes(b, 6, id)
		case 8:
			b = w.varint(b, 7, w.value()%3)
		case 9, 10:
			b = w.bytes(b, 16, w.exec(p))
		case 11:
			b = w.unknown(b)
		default:
			b = w.varint(b, []protowire.Number{4, 17, 18, 30, 31}[w.IntN(5)], w.value())
		}
	}
	return b
}

// usual returns an envelope in the form that is read quickly, or nearly.
func (w writer) usual(p PeerID) []byte {
	e := &Envelope{Exec: ExecID{p, w.value(), w.value()}, Seq: w.value(), Ack: w.value(), Within: w.value()}
	for range w.IntN(6) {
		f := e.AddFill()
		f.Suffix, f.Type = AppendSite(nil, EdgeID(w.Uint64())), TypeHash(w.value())
		if f.Trigger = w.IntN(4) == 0; !f.Trigger || w.IntN(4) == 0 {
			f.Payload = w.blob(20)
		}
		for range w.IntN(4) {
			f.Dims = append(f.Dims, w.value()%(1<<31+1))
		}
	}
	return AppendEnvelope(nil, e)
}

// damage changes a message in one place, or cuts it off.
func (w writer) damage(b []byte) []byte {
	if len(b) == 0 {
		return b
	}
	switch at := w.IntN(len(b)); w.IntN(4) {
	case 0:
		return b[:at]
	case 1:
		b[at] ^= 1 << w.IntN(8)
	case 2:
		b[at] = byte(w.Uint32())
	default:
		return append(b[:at:at], b[min(at+1+w.IntN(4), len(b)):]...)
	}
	return b
}

// sameEnvelope compares a decoded envelope with that of the naive decoder.
func sameEnvelope(t *testing.T, e *Envelope, b []byte, lim *Limits) bool {
	t.Helper()
	want, ok := naiveEnvelope(b, lim)
	switch err := ConsumeEnvelope(e, b, lim); {
	case ok != (err == nil):
		t.Errorf("%x: got %v, and it is valid: %v", b, err, ok)
		return false
	case ok && !reflect.DeepEqual(plain(e), plain(&want)):
		t.Errorf("%x:\n got %+v\nwant %+v", b, plain(e), plain(&want))
		return false
	}
	return true
}

// TestNaiveEnvelope compares random envelopes, whole and damaged, with the naive decoder. The memory of the envelope is used
// again, so that nothing of one is left in the next.
func TestNaiveEnvelope(t *testing.T) {
	lim := Edge()
	lim.Envelope, lim.Fills, lim.Fill, lim.Suffix, lim.Addresses = 600, 3, 18, 11, 2
	w, valid := writer{rand.New(rand.NewPCG(1, 1))}, 0
	var e Envelope
	for range 60000 {
		b := w.envelope(peer(t, w.IntN(2)))
		if w.IntN(3) == 0 {
			b = w.usual(peer(t, 0))
		}
		for w.IntN(2) == 0 {
			b = w.damage(b)
		}
		if _, ok := naiveEnvelope(b, &lim); ok {
			valid++
		}
		if !sameEnvelope(t, &e, b, &lim) {
			return
		}
	}
	if valid < 10000 {
		t.Errorf("only %d are valid", valid)
	}
}

// TestEveryPrefix: each beginning of an envelope is read as the naive decoder reads it; so is one with any byte changed.
func TestEveryPrefix(t *testing.T) {
	lim := Default()
	var e Envelope
	for _, whole := range []*Envelope{example(t), lossy(t), benchmarked(t)} {
		b := AppendEnvelope(nil, whole)
		for n := range len(b) + 1 {
			if !sameEnvelope(t, &e, b[:n], &lim) {
				return
			}
		}
		for i := range b {
			for _, x := range []byte{0, 1, 0x7f, 0x80, 0xff, b[i] + 1, b[i] ^ 0x80} {
				c := append([]byte(nil), b...)
				if c[i] = x; !sameEnvelope(t, &e, c, &lim) {
					return
				}
			}
		}
	}
}

// TestDeepGroups: groups within groups are skipped down to some depth and refused beyond, and never overflow the stack.
func TestDeepGroups(t *testing.T) {
	lim := Default()
	for _, depth := range []int{1, 100, 5000, 20000, 1 << 20} {
		var b []byte
		for range depth {
			b = protowire.AppendTag(b, 50, protowire.StartGroupType)
		}
		for range depth {
			b = protowire.AppendTag(b, 50, protowire.EndGroupType)
		}
		var e Envelope
		err := ConsumeEnvelope(&e, b, &lim)
		if depth <= 5000 && err != nil {
			t.Errorf("%d groups: %v", depth, err)
		}
		if depth > 10000 && err == nil {
			t.Errorf("%d groups are read", depth)
		}
		if ConsumeEnvelope(&e, b[:len(b)-1], &lim) == nil {
			t.Errorf("%d groups of which the last does not end are read", depth)
		}
	}
}

// TestPayloadAtOfRandom: for each beginning of a random envelope, PayloadAt returns 0 or the place of a payload of which
// bytes are missing.
func TestPayloadAtOfRandom(t *testing.T) {
	w := writer{rand.New(rand.NewPCG(2, 2))}
	for range 300 {
		e := &Envelope{Exec: ExecID{peer(t, 0), 1, 2}, Seq: w.value(), Within: w.value()}
		places := map[int]int{}
		for range 1 + w.IntN(3) {
			f := e.AddFill()
			f.Suffix, f.Payload, f.Dims = AppendSite(nil, 1), append([]byte{1}, w.blob(300)...), []uint64{1, 2}
		}
		around, gaps := AppendAround(nil, nil, e, 1)
		b := AppendEnvelope(nil, e)
		added := 0
		for _, g := range gaps {
			places[g.At+added] = len(g.Data)
			added += len(g.Data)
		}
		if len(around)+added != len(b) {
			t.Fatalf("%d bytes around %d, want %d", len(around), added, len(b))
		}
		for n := range b {
			at := PayloadAt(b[:n])
			size, ok := places[at]
			if at != 0 && (!ok || n >= at+size) {
				t.Fatalf("of the first %d of %d bytes: at %d; payloads are at %v", n, len(b), at, places)
			}
			for place, size := range places {
				if n > place && n < place+size && at != place {
					t.Fatalf("of the first %d of %d bytes: at %d, want %d", n, len(b), at, place)
				}
			}
		}
	}
}
