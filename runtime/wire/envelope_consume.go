package wire

import (
	"math"
)

const (
	// message WireEnvelope
	envDest        = 1<<3 | bytesType
	envFills       = 2<<3 | bytesType
	envCorrelation = 3<<3 | bytesType
	envWithin      = 4<<3 | varintType
	envSrc         = 6<<3 | bytesType
	envVersion     = 7<<3 | varintType
	envSrcAddrs    = 8<<3 | bytesType
	envExec        = 16<<3 | bytesType
	envSeq         = 17<<3 | varintType
	envAck         = 18<<3 | varintType
	envLosses      = 29<<3 | bytesType
	envReleased    = 30<<3 | varintType
	envBefore      = 31<<3 | varintType

	// message SlotFill
	fillSuffix  = 1<<3 | bytesType
	fillPayload = 2<<3 | bytesType
	fillTrigger = 3<<3 | varintType
	fillType    = 4<<3 | varintType
	fillBulk    = 16<<3 | bytesType
	fillDims    = 17<<3 | bytesType
	fillDim     = 17<<3 | varintType // as written by encoders that do not pack

	// message Loss
	lossSuffix = 1<<3 | bytesType
	lossReason = 2<<3 | bytesType

	// message Bulk
	bulkID   = 1<<3 | varintType
	bulkSize = 2<<3 | varintType
	bulkCRC  = 3<<3 | fixed32Type

	// message WireCorrelation
	corrKind = 1<<3 | varintType
	corrID   = 2<<3 | varintType
)

// Reset empties the envelope and keeps its memory.
func (e *Envelope) Reset() {
	e.Dest, e.Fills, e.SrcAddrs, e.SrcHash = e.Dest[:0], e.Fills[:0], e.SrcAddrs[:0], nil
	e.Request, e.Within, e.Src, e.Exec, e.Seq, e.Ack, e.Released, e.Before = Correlation{}, 0, PeerID{}, ExecID{}, 0, 0, 0, 0
}

// ConsumeEnvelope reads an envelope, which is all of b, into e. Suffixes and payloads alias b. After an error
// the contents of e are undefined.
func ConsumeEnvelope(e *Envelope, b []byte, lim *Limits) error {
	e.Reset()
	if err := within("envelope", len(b), lim.Envelope); err != nil {
		return err
	}
	if len(b) == 0 {
		return malformed("envelope", "it is empty, want at least a field")
	}
	if e.consumeUsual(b, lim) {
		return nil
	}
	e.Reset()
	return e.consumeAny(b, lim)
}

// consumeAny reads an envelope with its fields in any order.
func (e *Envelope) consumeAny(b []byte, lim *Limits) error {
	for at := 0; at < len(b); {
		t, v, end := field(b, at)
		if end < 0 {
			return malformed("envelope", "%v", parseError(end))
		}
		at = end
		var err error
		switch t {
		case envFills:
			err = e.consumeFill(content(b, v, end), lim)
		case envLosses:
			err = e.consumeLoss(content(b, v, end), lim)
		case envExec:
			err = e.Exec.consume(content(b, v, end))
		case envSeq:
			e.Seq = v
		case envAck:
			e.Ack = v
		case envReleased:
			e.Released = v
		case envBefore:
			e.Before = v
		case envVersion:
			if v > SchemaVersion {
				err = malformed("envelope", "schema version %d, want %d", v, SchemaVersion)
			}
		case envWithin:
			e.Within = v
		case envDest:
			e.Dest, err = consumeAddress(e.Dest, content(b, v, end), lim)
		case envSrcAddrs:
			e.SrcAddrs, err = consumeAddress(e.SrcAddrs, content(b, v, end), lim)
		case envSrc:
			e.Src, e.SrcHash, err = consumeSource(content(b, v, end))
		case envCorrelation:
			e.Request, err = consumeCorrelation(content(b, v, end))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// NB: an address is a string and allocates; only the first envelopes of a connection carry any.
func consumeAddress(list []Address, p []byte, lim *Limits) ([]Address, error) {
	if err := within("envelope: addresses", len(list)+1, lim.Addresses); err != nil {
		return list, err
	}
	a, err := consumeMultiaddr(p, lim)
	return append(list, a), err
}

// consumeFill reads a fill into the next element of e.Fills, reusing the memory of its Dims.
func (e *Envelope) consumeFill(b []byte, lim *Limits) error {
	if err := within("envelope: fills", len(e.Fills)+1, lim.Fills); err != nil {
		return err
	}
	f := e.AddFill()
	for at := 0; at < len(b); {
		t, v, end := field(b, at)
		if end < 0 {
			return malformed("fill", "%v", parseError(end))
		}
		at = end
		var err error
		switch t {
		case fillSuffix:
			f.Suffix, err = content(b, v, end), within("fill: suffix", int(v), lim.Suffix)
		case fillPayload:
			f.Payload, err = nil, within("fill: payload", int(v), lim.Fill)
			if v > 0 { // an empty payload is none: a value may still follow in bulk
				f.Payload = content(b, v, end)
			}
		case fillTrigger:
			f.Trigger = v != 0
		case fillType:
			f.Type = TypeHash(v)
		case fillBulk:
			f.Bulk, err = consumeBulk(content(b, v, end), lim)
		case fillDims:
			err = f.consumeDims(content(b, v, end), lim)
		case fillDim:
			err = f.consumeDim(v, lim)
		}
		if err != nil {
			return err
		}
	}
	if hasPayload := len(f.Payload) > 0; hasPayload && f.Trigger || f.Bulk.ID != 0 && (hasPayload || f.Trigger) {
		return malformed("fill", "more than one of payload, bulk and trigger")
	}
	return nil
}

// MaxReason is the maximum length of [SlotFill.Lost], in bytes.
const MaxReason = 256

// consumeLoss reads a loss into the next element of e.Fills.
func (e *Envelope) consumeLoss(b []byte, lim *Limits) error {
	if err := within("envelope: fills", len(e.Fills)+1, lim.Fills); err != nil {
		return err
	}
	f := e.AddFill()
	f.Lost = "no reason"
	for at := 0; at < len(b); {
		t, v, end := field(b, at)
		if end < 0 {
			return malformed("loss", "%v", parseError(end))
		}
		at = end
		var err error
		switch t {
		case lossSuffix:
			f.Suffix, err = content(b, v, end), within("loss: suffix", int(v), lim.Suffix)
		case lossReason:
			if err = within("loss: reason", int(v), MaxReason); err == nil && v > 0 {
				f.Lost = string(content(b, v, end))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *SlotFill) consumeDims(p []byte, lim *Limits) error {
	for at := 0; at < len(p); {
		v, end := number(p, at)
		if end < 0 {
			return malformed("fill: dims", "%v", parseError(end))
		}
		at = end
		if err := f.consumeDim(v, lim); err != nil {
			return err
		}
	}
	return nil
}

func (f *SlotFill) consumeDim(v uint64, lim *Limits) error {
	if v > math.MaxInt32 {
		return &LimitError{"fill: dimension", v, math.MaxInt32}
	}
	if err := within("fill: dims", len(f.Dims)+1, lim.Dims); err != nil {
		return err
	}
	f.Dims = append(f.Dims, v)
	return nil
}

func consumeBulk(b []byte, lim *Limits) (x Bulk, err error) {
	for len(b) > 0 {
		var t tag
		var v uint64
		if t, v, _, b, err = next(b); err != nil {
			return Bulk{}, malformed("bulk", "%v", err)
		}
		switch t {
		case bulkID:
			x.ID = v
		case bulkSize:
			x.Size = v
		case bulkCRC:
			x.CRC = uint32(v)
		}
	}
	if x.ID == 0 || x.Size == 0 {
		return Bulk{}, malformed("bulk", "no id or no size")
	}
	if x.Size > uint64(max(lim.Bulk, 0)) {
		return Bulk{}, &LimitError{"bulk: size", x.Size, uint64(max(lim.Bulk, 0))}
	}
	return x, nil
}

func consumeCorrelation(b []byte) (c Correlation, err error) {
	for len(b) > 0 {
		var t tag
		var v uint64
		if t, v, _, b, err = next(b); err != nil {
			return Correlation{}, malformed("correlation", "%v", err)
		}
		switch t {
		case corrKind:
			if v > uint64(Response) {
				return Correlation{}, malformed("correlation", "kind %d", v)
			}
			c.Kind = CorrelationKind(v)
		case corrID:
			c.ID = v
		}
	}
	return c, nil
}

// PayloadAt returns the place of the first payload in an envelope that is not completely in b, the begin of
// the envelope. It returns 0 if b is too short.
func PayloadAt(b []byte) int {
	at := 0
	for _, within := range [...]tag{envFills, fillPayload} {
		var end int
		for at < len(b) && end >= 0 { // past the complete fields
			if _, _, end = field(b, at); end >= 0 {
				at = end
			}
		}
		if at == len(b) || end != endsEarly {
			return 0
		}
		x, behind := number(b, at)
		if behind < 0 || tag(x) != within {
			return 0
		}
		if _, at = number(b, behind); at < 0 {
			return 0
		}
	}
	return at
}
