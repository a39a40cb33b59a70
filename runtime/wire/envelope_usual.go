package wire

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// consumeUsual reads an envelope as AppendEnvelope writes nearly all of them: fields
// in their order, and no address, correlation or report. It looks for each field where
// it must stand, which takes a third of the time of looking what stands there. It
// reports whether all of b is such an envelope, within all limits; if not, e holds
// nothing of use.
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

// What stands at the beginning, beside the size of the execution's name: the version
// and two tags.
const (
	usualHead = "\x38\x01\x82\x01"
	usualExec = len(usualHead) + 1
)

// consumeUsualHead reads what stands before the fills, and returns where that ends, or
// less than 0.
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

// consumeUsualFill reads a fill of an edge that stands at a place, and returns where
// it ends, or less than 0.
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

// siteField is how many bytes the suffix of an edge takes with its head.
const siteField = 2 + SiteSize

// consumeUsualDims reads the sizes that a fill ends with, if there are some.
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

// twoBytes is a tag of two bytes as they stand in a message.
func twoBytes(t tag) uint64 { return uint64(t)&0x7f | 0x80 | uint64(t)>>7<<8 }

// numberOf reads the number of a field, or how many bytes it has, and returns the place
// behind it. If another field stands there it is 0, and the place is the same; it is
// less than 0 if the number cannot be read, or at is. The tag is one or two bytes, as
// they stand in a message.
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
	if last := ^w & 0x0000808080808080; last != 0 { // at least so many bytes of it are in the word
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
