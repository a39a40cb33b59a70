package otlp

import (
	"encoding/binary"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// The numbers of fields and constants of opentelemetry/proto/trace/v1 and common/v1.
const (
	requestResourceSpans = 1

	resourceSpansResource = 1
	resourceSpansScope    = 2
	resourceAttributes    = 1

	scopeSpansScope = 1
	scopeSpansSpans = 2
	scopeName       = 1

	spanTrace      = 1
	spanSpan       = 2
	spanParent     = 4
	spanName       = 5
	spanKind       = 6
	spanStart      = 7
	spanEnd        = 8
	spanAttributes = 9
	spanStatus     = 15
	spanFlags      = 16

	statusMessage = 2
	statusCode    = 3

	keyValueKey   = 1
	keyValueValue = 2
	valueText     = 1
	valueInt      = 3

	kindInternal = 1
	kindConsumer = 5 // it begins with a message of another peer
	codeError    = 2

	flagSampled     = 1
	flagKnowsRemote = 1 << 8
	flagRemote      = 1 << 9
)

// scope names the code that makes the spans.
const scope = "github.com/bbgen/bbgen/runtime"

// appendMessage appends a field that is a message, whose fields the function appends.
func appendMessage(b []byte, number protowire.Number, fields func([]byte) []byte) []byte {
	return appendBytes(b, number, fields(nil))
}

func appendBytes(b []byte, number protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), v)
}

// appendText appends a field that is a text. Protocol buffers have only valid UTF-8.
func appendText(b []byte, number protowire.Number, v string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), strings.ToValidUTF8(v, "\uFFFD"))
}

func appendNumber(b []byte, number protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), v)
}

// appendAttribute appends an attribute with a text.
func appendAttribute(b []byte, number protowire.Number, key, value string) []byte {
	return appendMessage(b, number, func(b []byte) []byte {
		b = appendText(b, keyValueKey, key)
		return appendMessage(b, keyValueValue, func(b []byte) []byte { return appendText(b, valueText, value) })
	})
}

// appendCount appends an attribute with a number.
func appendCount(b []byte, number protowire.Number, key string, value int64) []byte {
	return appendMessage(b, number, func(b []byte) []byte {
		b = appendText(b, keyValueKey, key)
		return appendMessage(b, keyValueValue, func(b []byte) []byte { return appendNumber(b, valueInt, uint64(value)) })
	})
}

// appendResource appends the field of a ResourceSpans that describes the process.
func appendResource(b []byte, attributes []Attribute) []byte {
	return appendMessage(b, resourceSpansResource, func(b []byte) []byte {
		for _, a := range attributes {
			b = appendAttribute(b, resourceAttributes, a.Key, a.Value)
		}
		return b
	})
}

// appendRequest appends an ExportTraceServiceRequest with encoded spans of the process that an encoded resource
// describes.
func appendRequest(b, resource []byte, spans [][]byte) []byte {
	return appendMessage(b, requestResourceSpans, func(b []byte) []byte {
		b = append(b, resource...)
		return appendMessage(b, resourceSpansScope, func(b []byte) []byte {
			b = appendMessage(b, scopeSpansScope, func(b []byte) []byte { return appendText(b, scopeName, scope) })
			for _, s := range spans {
				b = appendBytes(b, scopeSpansSpans, s)
			}
			return b
		})
	})
}

// maxMessage is the maximum number of bytes of an error in a span: errors may quote messages of peers.
const maxMessage = 1 << 10

// shortened returns a text of about maxMessage bytes at most.
func shortened(s string) string {
	if len(s) > maxMessage {
		return s[:maxMessage] + "…"
	}
	return s
}

// appendSpan appends the fields of a Span.
func (p *Process) appendSpan(b []byte, at *place, s *runtime.Span) []byte {
	b = appendBytes(b, spanTrace, at.trace[:])
	b = appendBytes(b, spanSpan, at.id[:])
	flags := uint32(flagSampled | flagKnowsRemote)
	if at.parent != (spanID{}) {
		b = appendBytes(b, spanParent, at.parent[:])
	}
	if at.isRemote {
		flags |= flagRemote
	}
	b = appendText(b, spanName, nameOf(s))
	b = appendNumber(b, spanKind, kindOf(s))
	b = appendTime(b, spanStart, p.Began, s.Start)
	b = appendTime(b, spanEnd, p.Began, s.End)
	b = p.appendAttributes(b, s)
	if s.Err != nil {
		b = appendMessage(b, spanStatus, func(b []byte) []byte {
			return appendNumber(appendText(b, statusMessage, shortened(s.Err.Error())), statusCode, codeError)
		})
	}
	b = protowire.AppendTag(b, spanFlags, protowire.Fixed32Type)
	return binary.LittleEndian.AppendUint32(b, flags)
}

// appendAttributes appends the attributes of a span.
func (p *Process) appendAttributes(b []byte, s *runtime.Span) []byte {
	peer := func(key string, id wire.PeerID) {
		if !id.IsZero() {
			b = appendAttribute(b, spanAttributes, key, p.Name(id))
		}
	}
	count := func(key string, value int64) { b = appendCount(b, spanAttributes, key, value) }
	b = appendAttribute(b, spanAttributes, "bbgen.module", s.Module)
	peer("bbgen.initiator", s.Exec.Origin)
	count("bbgen.round", int64(s.Exec.Number))
	peer("bbgen.from", s.From)
	peer("bbgen.sender", s.Sender)
	if s.Received > 0 {
		count("bbgen.received_bytes", s.Received)
	}
	if s.Sent > 0 {
		count("bbgen.sent_bytes", s.Sent)
	}
	if s.Cut != "" && s.Kind == runtime.GatherCut {
		count("bbgen.asked", int64(s.Asked))
		count("bbgen.contributed", int64(s.Came))
	}
	return b
}

// nameOf returns the name of a span. It is the same in all executions, so that tools can group spans by it.
func nameOf(s *runtime.Span) string {
	if s.Cut == "" {
		return s.Module
	}
	return s.Kind.String() + " " + s.Cut
}

// kindOf returns the kind of a span.
func kindOf(s *runtime.Span) uint64 {
	if s.Cut == "" && !s.From.IsZero() {
		return kindConsumer
	}
	return kindInternal
}

// appendTime appends a time of the node in nanoseconds since 1970.
func appendTime(b []byte, number protowire.Number, began time.Time, at int64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, number, protowire.Fixed64Type), uint64(began.UnixNano()+at))
}
