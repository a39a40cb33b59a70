package tensorboard

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// The fields used of TensorFlow's messages Event, SessionLog, Summary, Summary.Value and HistogramProto.
const (
	eventTime, eventStep, eventVersion, eventSummary, eventSession = 1, 2, 3, 5, 7

	sessionStatus = 1
	sessionStart  = 1 // a value of SessionLog.SessionStatus

	summaryValue = 1

	valueTag, valueNumber, valueHistogram = 1, 2, 5

	histogramMin, histogramMax, histogramCount, histogramSum, histogramSquares = 1, 2, 3, 4, 5
	histogramLimits, histogramCounts                                           = 6, 7
)

func appendDouble(dst []byte, field protowire.Number, x float64) []byte {
	dst = protowire.AppendTag(dst, field, protowire.Fixed64Type)
	return protowire.AppendFixed64(dst, math.Float64bits(x))
}

func appendVarint(dst []byte, field protowire.Number, x uint64) []byte {
	dst = protowire.AppendTag(dst, field, protowire.VarintType)
	return protowire.AppendVarint(dst, x)
}

func appendBytes(dst []byte, field protowire.Number, b []byte) []byte {
	dst = protowire.AppendTag(dst, field, protowire.BytesType)
	return protowire.AppendBytes(dst, b)
}

// appendDoubles appends a packed list.
func appendDoubles(dst []byte, field protowire.Number, list []float64) []byte {
	dst = protowire.AppendTag(dst, field, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(8*len(list)))
	for _, x := range list {
		dst = protowire.AppendFixed64(dst, math.Float64bits(x))
	}
	return dst
}

// appendHead appends the common fields of events.
func appendHead(dst []byte, seconds float64, step int) []byte {
	dst = appendDouble(dst, eventTime, seconds)
	if step != 0 {
		dst = appendVarint(dst, eventStep, uint64(step))
	}
	return dst
}

// appendScalar appends a Summary.Value of a number.
func appendScalar(dst []byte, tag string, x float64) []byte {
	v := appendBytes(nil, valueTag, []byte(tag))
	v = protowire.AppendTag(v, valueNumber, protowire.Fixed32Type)
	v = protowire.AppendFixed32(v, math.Float32bits(float32(x)))
	return appendBytes(dst, summaryValue, v)
}

// appendHistogram appends a Summary.Value of a histogram.
func appendHistogram(dst []byte, tag string, h *Histogram) []byte {
	b := appendDouble(nil, histogramMin, h.Min)
	b = appendDouble(b, histogramMax, h.Max)
	b = appendDouble(b, histogramCount, float64(h.Count))
	b = appendDouble(b, histogramSum, h.Sum)
	b = appendDouble(b, histogramSquares, h.Squares)
	b = appendDoubles(b, histogramLimits, h.Limits)
	b = appendDoubles(b, histogramCounts, h.Counts)
	v := appendBytes(nil, valueTag, []byte(tag))
	return appendBytes(dst, summaryValue, appendBytes(v, valueHistogram, b))
}
