package wire

import (
	"math"
	"slices"
)

// Size returns the encoded size of the envelope.
func (e *Envelope) Size() int {
	n := 0
	for _, a := range e.Dest {
		n += sizeHeaded(envDest, len(a))
	}
	for i := range e.Fills {
		if f := &e.Fills[i]; f.Lost != "" {
			n += sizeHeaded(envLosses, f.sizeLoss())
		} else {
			n += sizeHeaded(envFills, f.size())
		}
	}
	if e.Request != (Correlation{}) {
		n += sizeHeaded(envCorrelation, sizeCorrelation(e.Request))
	}
	n += sizeVarint(envWithin, e.Within)
	if !e.Src.IsZero() {
		n += sizeHeaded(envSrc, multihashSize)
	} else if len(e.SrcHash) > 0 {
		n += sizeHeaded(envSrc, len(shaHead)+len(e.SrcHash))
	}
	n += sizeVarint(envVersion, SchemaVersion)
	for _, a := range e.SrcAddrs {
		n += sizeHeaded(envSrcAddrs, len(a))
	}
	if !e.Exec.IsZero() {
		n += sizeHeaded(envExec, sizeExec(e.Exec))
	}
	return n + sizeVarint(envSeq, e.Seq) + sizeVarint(envAck, e.Ack) + sizeVarint(envReleased, e.Released) + sizeVarint(envBefore, e.Before)
}

// AppendEnvelope appends an envelope with its payloads. It copies them; for large ones, use [AppendAround].
func AppendEnvelope(b []byte, e *Envelope) []byte {
	b = slices.Grow(b, e.Size())
	b, _ = AppendAround(b, nil, e, math.MaxInt)
	return b
}

// Gap is bytes that are missing at a place of other bytes.
type Gap struct {
	At   int
	Data []byte
	Blob Blob // of which they are a part, with a reference; nil if there is no reference count
}

// AppendAround appends an envelope without payloads of at least the given size. For each of those it appends
// its place in b to gaps.
func AppendAround(b []byte, gaps []Gap, e *Envelope, least int) ([]byte, []Gap) {
	b = e.appendBefore(b)
	for i := range e.Fills {
		f := &e.Fills[i]
		if f.Lost != "" {
			b = f.appendLoss(b)
			continue
		}
		b = f.appendHead(b)
		if p := f.Payload; len(p) >= least && len(p) > 0 {
			if f.Blob != nil {
				f.Blob.Retain()
			}
			gaps = append(gaps, Gap{len(b), p, f.Blob})
		} else {
			b = append(b, p...)
		}
		b = f.appendTail(b)
	}
	return e.appendAfter(b), gaps
}

// appendBefore writes the fields before the fills, appendAfter those after them: so a reader knows the other
// fields before the first payload.
func (e *Envelope) appendBefore(b []byte) []byte {
	b = appendVarint(b, envVersion, SchemaVersion)
	for _, a := range e.Dest {
		b = append(appendHead(b, envDest, len(a)), a...)
	}
	if !e.Src.IsZero() {
		b = appendPeer(appendHead(b, envSrc, multihashSize), e.Src)
	} else if len(e.SrcHash) > 0 {
		b = append(append(appendHead(b, envSrc, len(shaHead)+len(e.SrcHash)), shaHead...), e.SrcHash...)
	}
	for _, a := range e.SrcAddrs {
		b = append(appendHead(b, envSrcAddrs, len(a)), a...)
	}
	if !e.Exec.IsZero() {
		b = AppendExec(appendHead(b, envExec, sizeExec(e.Exec)), e.Exec)
	}
	b = appendVarint(b, envSeq, e.Seq)
	b = appendVarint(b, envAck, e.Ack)
	b = appendVarint(b, envReleased, e.Released)
	return appendVarint(b, envBefore, e.Before)
}

func (e *Envelope) appendAfter(b []byte) []byte {
	if c := e.Request; c != (Correlation{}) {
		b = appendHead(b, envCorrelation, sizeCorrelation(c))
		b = appendVarint(b, corrKind, uint64(c.Kind))
		b = appendVarint(b, corrID, c.ID)
	}
	b = appendVarint(b, envWithin, e.Within)
	return b
}

// size returns the size of appendHead's output, the payload and appendTail's output, without the tag and the
// size before them.
func (f *SlotFill) size() int {
	n := sizeBytes(fillSuffix, len(f.Suffix)) + sizeVarint(fillType, uint64(f.Type)) + sizeBytes(fillPayload, len(f.Payload))
	if f.Trigger {
		n += sizeVarint(fillTrigger, 1)
	}
	if f.Bulk.ID != 0 {
		n += sizeHeaded(fillBulk, sizeBulk(f.Bulk))
	}
	return n + sizeBytes(fillDims, sizeDims(f.Dims))
}

// sizeLoss returns the size of appendLoss's output, without the tag and the size before it.
func (f *SlotFill) sizeLoss() int {
	return sizeBytes(lossSuffix, len(f.Suffix)) + sizeBytes(lossReason, len(f.Lost))
}

// appendLoss appends a fill without a value. Readers that do not know the field skip it.
func (f *SlotFill) appendLoss(b []byte) []byte {
	b = appendHead(b, envLosses, f.sizeLoss())
	b = appendBytes(b, lossSuffix, f.Suffix)
	return append(appendHead(b, lossReason, len(f.Lost)), f.Lost...)
}

func (f *SlotFill) appendHead(b []byte) []byte {
	b = appendHead(b, envFills, f.size())
	b = appendBytes(b, fillSuffix, f.Suffix)
	b = appendVarint(b, fillType, uint64(f.Type))
	if f.Trigger {
		b = appendVarint(b, fillTrigger, 1)
	}
	if len(f.Payload) > 0 {
		b = appendHead(b, fillPayload, len(f.Payload))
	}
	return b
}

func (f *SlotFill) appendTail(b []byte) []byte {
	if f.Bulk.ID != 0 {
		b = appendHead(b, fillBulk, sizeBulk(f.Bulk))
		b = appendVarint(b, bulkID, f.Bulk.ID)
		b = appendVarint(b, bulkSize, f.Bulk.Size)
		b = appendFixed32(b, bulkCRC, f.Bulk.CRC)
	}
	if len(f.Dims) > 0 {
		b = appendHead(b, fillDims, sizeDims(f.Dims))
		for _, d := range f.Dims {
			b = appendNumber(b, d)
		}
	}
	return b
}

func sizeDims(dims []uint64) int {
	n := 0
	for _, d := range dims {
		n += sizeNumber(d)
	}
	return n
}

func sizeBulk(x Bulk) int {
	return sizeVarint(bulkID, x.ID) + sizeVarint(bulkSize, x.Size) + sizeFixed32(bulkCRC, x.CRC)
}

func sizeCorrelation(c Correlation) int {
	return sizeVarint(corrKind, uint64(c.Kind)) + sizeVarint(corrID, c.ID)
}
