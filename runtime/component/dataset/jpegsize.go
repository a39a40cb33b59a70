package dataset

import (
	"encoding/binary"
	"fmt"
)

// A progressive JPEG is decoded as a whole: all its coefficients are in memory at once, in blocks of 64. The decoder allocates them
// when the first of them comes, however short the file is.
const (
	blockBytes = 64 * 4
	maxCoefs   = 4 * maxPixels // bytes of the coefficients of one image: as many as those of its colors may be
	perByte    = 8             // blocks in a byte of a file, at most
	fewBlocks  = 1 << 16       // that any file may have
)

// frame is the sizes of a JPEG.
type frame struct {
	progressive bool
	blocks      int64 // of all components
}

// checkJPEG returns an error for a JPEG whose coefficients would take too much memory, or that has fewer bytes than they do. It
// reads the begin of a file of the given size, in which its sizes are.
func checkJPEG(begin []byte, size int64) error {
	f := frameOf(begin)
	switch {
	case f.blocks > fewBlocks+perByte*size:
		return fmt.Errorf("%d bytes are too few for its pixels: replace or remove it", size)
	case f.progressive && f.blocks > maxCoefs/blockBytes:
		return fmt.Errorf("%d MiB of coefficients in a progressive JPEG, want at most %d: convert it to a baseline JPEG, or make it smaller",
			f.blocks*blockBytes>>20, maxCoefs>>20)
	}
	return nil
}

// frameOf reads the sizes of a JPEG; there are no blocks if the begin of the file lacks them.
func frameOf(b []byte) (f frame) {
	for at := 2; at+4 <= len(b); {
		if b[at] != 0xff || b[at+1] == 0xff {
			at++ // skips what is between segments
			continue
		}
		m, n := b[at+1], int(binary.BigEndian.Uint16(b[at+2:]))
		switch {
		case m == 0 || m >= 0xd0 && m <= 0xd7: // without a segment
			at += 2
		case m >= 0xc0 && m <= 0xc2:
			return readFrame(b[at+4:min(len(b), at+2+max(n, 2))], m == 0xc2)
		default:
			at += 2 + n
		}
	}
	return f
}

// readFrame reads the segment of a frame.
func readFrame(s []byte, progressive bool) (f frame) {
	if len(s) < 6 || len(s) < 6+3*int(s[5]) {
		return f
	}
	height, width := int64(binary.BigEndian.Uint16(s[1:])), int64(binary.BigEndian.Uint16(s[3:]))
	var h, v, inUnit int64 // the largest factors, and the blocks of a unit
	for i := range int(s[5]) {
		x, y := int64(s[7+3*i]>>4), int64(s[7+3*i]&15)
		if s[5] == 1 {
			x, y = 1, 1 // whatever the file says
		}
		h, v, inUnit = max(h, x), max(v, y), inUnit+x*y
	}
	if h == 0 || v == 0 {
		return f
	}
	units := ((width + 8*h - 1) / (8 * h)) * ((height + 8*v - 1) / (8 * v))
	return frame{progressive, units * inUnit}
}
