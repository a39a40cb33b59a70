package wire

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// consumeUsual reads an envelope in the form in which AppendEnvelope writes nearly all of them: fields in
// their order, without address, correlation or report. It expects each field at its place, which takes a
// third of the time of reading fields in any order. It reports whether all of b is such an envelope, within
// all limits; otherwise the contents of e are undefined.
func (e *Envelope) consumeUsual(b []byte, lim *Limits) bool {
	at := e.consumeUsualHead(b)
	for 0 < at && at < len(b) && b[at] == byte(envFills) && len(e.Fills) < lim.Fills {
		at = e.consumeUsualFill(b, at, lim)
	}
	if at > 0 {
		e.Within, at = numberOf(b, at, uint64(envWithin))
	}
	return at == len(b)
}

// The begin of an envelope, except for the size of the execution's id: the version and two tags.
const (
	usualHead = "\x38\x01\x82\x01"
	usualExec = len(usualHead) + 1
)

// consumeUsualHead reads the fields before the fills, and returns their end, or a negative number.
func (e *Envelope) consumeUsualHead(b []byte) (at int) {
	if len(b) < usualExec+originSize || string(b[:len(usualHead)]) != usualHead || string(b[usualExec:usualExec+len(originHead)]) != originHead {
		return -1
	}
	e.Exec.Origin = peerOf(b[usualExec+len(originHead):])
	e.Exec.Incarnation, at = numberOf(b, usualExec+originSize, uint64(execIncarnation))
	e.Exec.Number, at = numberOf(b, at, uint64(execNumber))
	if at != usualExec+int(b[len(usualHead)]) || e.Exec.Origin.IsZero() {
		return -1
	}
	e.Seq, at = numberOf(b, at, twoBytes(envSeq))
	e.Ack, at = numberOf(b, at, twoBytes(envAck))
	return at
}

// consumeUsualFill reads a fill of an edge at a place, and returns its end, or a negative number.
func (e *Envelope) consumeUsualFill(b []byte, at int, lim *Limits) (stop int) {
	size, at := numberOf(b, at, uint64(envFills))
	if at < 0 || size > uint64(len(b)-at) || size < siteField || b[at] != byte(fillSuffix) || b[at+1] != SiteSize || lim.Suffix < SiteSize {
		return -1
	}
	f, stop := e.AddFill(), at+int(size)
	b = b[:stop]
	f.Suffix, at = b[at+siteField-SiteSize:at+siteField], at+siteField
	v, at := numberOf(b, at, uint64(fillType))
	f.Type = TypeHash(v)
	v, at = numberOf(b, at, uint64(fillTrigger))
	f.Trigger = v != 0
	if size, at = numberOf(b, at, uint64(fillPayload)); size > 0 {
		if at < 0 || size > uint64(stop-at) || size > uint64(max(lim.Fill, 0)) || f.Trigger {
			return -1
		}
		f.Payload, at = b[at:at+int(size)], at+int(size)
	}
	if !f.consumeUsualDims(b, at, lim) {
		return -1
	}
	return stop
}

// siteField is the size of an edge's suffix with its head.
const siteField = 2 + SiteSize

// consumeUsualDims reads the sizes at the end of a fill, if there are any.
func (f *SlotFill) consumeUsualDims(b []byte, at int, lim *Limits) bool {
	size, at := numberOf(b, at, twoBytes(fillDims))
	if at < 0 || size != uint64(len(b)-at) {
		return false
	}
	for at < len(b) {
		v, end := number(b, at)
		if end < 0 || v > math.MaxInt32 || len(f.Dims) >= lim.Dims {
			return false
		}
		f.Dims, at = append(f.Dims, v), end
	}
	return true
}

// twoBytes returns a tag of two bytes in its encoded form.
func twoBytes(t tag) uint64 { return uint64(t)&0x7f | 0x80 | uint64(t)>>7<<8 }

// numberOf reads the number of a field, or its number of bytes, and returns the place after it. If there is
// another field at the place, the number is 0 and the place is unchanged. The place is negative if the number
// cannot be read, or if at is negative. The tag is in its encoded form of one or two bytes.
func numberOf(b []byte, at int, tag uint64) (v uint64, end int) {
	if at < 0 || len(b)-at < 8 {
		return lateNumberOf(b, at, tag)
	}
	w := binary.LittleEndian.Uint64(b[at:])
	if tag < 0x80 {
		if w&0xff != tag {
			return 0, at
		}
		w, at = w>>8, at+1
	} else {
		if w&0xffff != tag {
			return 0, at
		}
		w, at = w>>16, at+2
	}
	if w&0x80 == 0 {
		return w & 0x7f, at + 1
	}
	if last := ^w & 0x0000808080808080; last != 0 { // the end of the number is in the word
		return squeeze(w & (last ^ (last - 1))), at + 1 + bits.TrailingZeros64(last)/8
	}
	return number(b, at)
}

// lateNumberOf is numberOf near the end of a message.
func lateNumberOf(b []byte, at int, tag uint64) (v uint64, end int) {
	if at < 0 {
		return 0, at
	}
	if at == len(b) || uint64(b[at]) != tag&0xff {
		return 0, at
	}
	if tag >= 0x80 {
		if at++; at == len(b) || uint64(b[at]) != tag>>8 {
			return 0, at - 1
		}
	}
	return number(b, at+1)
}
