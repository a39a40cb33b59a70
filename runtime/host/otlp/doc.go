// Package otlp exports the executions of a peer as traces, by OpenTelemetry's protocol: OTLP over HTTP, as
// protocol buffers.
//
// An execution is a trace. Its root span is the activity that begins it, on the peer that begins it; the other
// activities, on all peers, are spans below that, and the commands, gathers, collectives and waits of an activity
// are spans below the activity. The ids of the trace and of all spans are hashes of what they identify, so that
// the peers agree on them without messages.
//
// [Read] reads the environment variables of OpenTelemetry's specification. An [Exporter] encodes spans when they
// end, and sends them from a goroutine of its own.
package otlp
