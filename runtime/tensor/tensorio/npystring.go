package tensorio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// npyString is numpy's type of strings: each element has the same number of characters, and zeros behind its
// end.
type npyString struct {
	width int  // characters of an element
	wide  bool // U: a character is a code point of four bytes; otherwise S: a byte of UTF-8
}

// npyStringOf reads a descr such as "<U3" or "|S3".
func npyStringOf(descr string) (s npyString, ok bool) {
	name := strings.TrimLeft(descr, "<|=")
	digits, wide := strings.CutPrefix(name, "U")
	if !wide {
		if digits, ok = strings.CutPrefix(name, "S"); !ok {
			return s, false
		}
	}
	n, err := strconv.Atoi(digits)
	return npyString{n, wide}, err == nil && n > 0 && n <= math.MaxInt32/4 // the size of an element fits an int of 32 bits
}

// size returns how many bytes an element has.
func (s npyString) size() int {
	if s.wide {
		return 4 * s.width
	}
	return s.width
}

// decode reads the elements of a tensor.
func (s npyString) decode(h npyHeader, data []byte) (*tensor.Tensor, error) {
	n, err := tensor.NumElements(h.shape)
	if err != nil {
		return nil, err
	}
	if size := s.size(); len(data)%size != 0 || len(data)/size != n {
		return nil, fmt.Errorf("data has %d bytes, want %d elements of %d bytes for %s%v", len(data), n, size, h.descr, h.shape)
	}
	if h.fortran {
		data = rowMajor(data, h.shape, s.size())
	}
	t := tensor.New(tensor.String, h.shape...)
	for i := range n {
		x, err := s.element(data[i*s.size():][:s.size()])
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		t.Data.([]string)[i] = x
	}
	return t, nil
}

// element reads one element.
func (s npyString) element(b []byte) (string, error) {
	if !s.wide {
		b = bytes.TrimRight(b, "\x00")
		if !utf8.Valid(b) {
			return "", errors.New("is not UTF-8")
		}
		return string(b), nil
	}
	var text []byte
	for ; len(b) > 0; b = b[4:] {
		c := binary.LittleEndian.Uint32(b)
		if c > utf8.MaxRune || !utf8.ValidRune(rune(c)) {
			return "", fmt.Errorf("character %#x is not in Unicode", c)
		}
		text = utf8.AppendRune(text, rune(c))
	}
	return string(bytes.TrimRight(text, "\x00")), nil
}

// npyStringFor returns the type that can hold all elements, if there is one.
func npyStringFor(t *tensor.Tensor) (npyString, error) {
	s := npyString{width: 1, wide: true}
	for i, x := range t.Data.([]string) {
		switch {
		case !utf8.ValidString(x):
			return s, fmt.Errorf("npy cannot hold element %d, which is not UTF-8", i)
		case strings.HasSuffix(x, "\x00"):
			return s, fmt.Errorf("npy cannot hold element %d, which ends with a zero", i)
		}
		s.width = max(s.width, utf8.RuneCountInString(x))
	}
	return s, tensor.CheckSize(s.size(), t.Shape)
}

// append appends the elements of t.
func (s npyString) append(dst []byte, t *tensor.Tensor) []byte {
	for _, x := range t.Data.([]string) {
		end := len(dst) + s.size()
		for _, c := range x {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(c))
		}
		dst = append(dst, make([]byte, end-len(dst))...)
	}
	return dst
}
