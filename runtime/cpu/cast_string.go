package cpu

import (
	"math"
	"strconv"
	"strings"
)

// CastToString writes numbers as text: with the digits that distinguish a float from its neighbors, with a
// point, and with an exponent from 1e16 on and below 1e-4.
func CastToString[S Number | bool](dst []string, x []S) {
	switch x := any(x).(type) {
	case []float32:
		for i, v := range x[:len(dst)] {
			dst[i] = formatFloat(float64(v), 32)
		}
	case []float64:
		for i, v := range x[:len(dst)] {
			dst[i] = formatFloat(v, 64)
		}
	case []bool:
		for i, v := range x[:len(dst)] {
			dst[i] = "False"
			if v {
				dst[i] = "True"
			}
		}
	case []uint64:
		for i, v := range x[:len(dst)] {
			dst[i] = strconv.FormatUint(v, 10)
		}
	case []int64:
		for i, v := range x[:len(dst)] {
			dst[i] = strconv.FormatInt(v, 10)
		}
	case []int32:
		formatInts(dst, x)
	case []int16:
		formatInts(dst, x)
	case []int8:
		formatInts(dst, x)
	case []uint32:
		formatInts(dst, x)
	case []uint16:
		formatInts(dst, x)
	case []uint8:
		formatInts(dst, x)
	}
}

func formatInts[S Integer](dst []string, x []S) {
	for i, v := range x[:len(dst)] {
		dst[i] = strconv.FormatInt(int64(v), 10)
	}
}

func formatFloat(v float64, bits int) string {
	switch {
	case v != v:
		return "nan"
	case v > math.MaxFloat64:
		return "inf"
	case v < -math.MaxFloat64:
		return "-inf"
	}
	if a := math.Abs(v); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(v, 'e', -1, bits)
	}
	s := strconv.FormatFloat(v, 'f', -1, bits)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// CastFromString parses numbers in the format of [strconv.ParseFloat], and integers that a float would round. Floats become
// integers as by [Cast]. It panics with an [Error] for other strings.
func CastFromString[D Number](dst []D, x []string) {
	for i, s := range x[:len(dst)] {
		s = strings.TrimSpace(s)
		if !isFloat[D]() {
			if n, err := strconv.ParseInt(s, 10, 64); err == nil {
				dst[i] = D(n)
				continue
			}
			if n, err := strconv.ParseUint(s, 10, 64); err == nil {
				dst[i] = D(n)
				continue
			}
		}
		v, err := strconv.ParseFloat(s, 64)
		if err != nil && math.Abs(v) <= math.MaxFloat64 { // out of range is ±Inf
			fail("Cast", "%q is not a number", s)
		}
		Cast(dst[i:i+1], []float64{v})
	}
}
