package server

import (
	"context"
	"errors"
	"strings"

	"github.com/bbgen/bbgen/remote/protocol"
)

// failed is the failure for an error in an operation.
func failed(op string, err error) *protocol.Failure {
	f := &protocol.Failure{Code: protocol.Invalid, Op: op, Text: err.Error()}
	switch {
	case errors.As(err, new(*memoryError)):
		f.Code = protocol.NoMemory
	case errors.Is(err, context.Canceled):
		f.Code = protocol.Lost
	}
	return f
}

// printable returns the first most bytes of a text, as valid UTF-8.
func printable(s string, most int) string {
	if len(s) > most {
		s = s[:most] + " …"
	}
	return strings.ToValidUTF8(s, "?")
}
