package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime/wire"
)

// sealed is JSON in the form of the state directory: with a checksum that detects damage.
type sealed struct {
	CRC     string          `json:"crc32c"` // of the content without white space
	Content json.RawMessage `json:"content"`
}

// ErrDamaged means that the content of a file of the state directory is not what was written.
var ErrDamaged = errors.New("damaged")

// Seal returns a sealed file with a value.
func Seal(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	b, err = json.MarshalIndent(sealed{sumText(b), b}, "", "\t")
	return append(b, '\n'), err
}

func sumText(b []byte) string { return fmt.Sprintf("%08x", wire.CRC(b)) }

// Unseal reads the output of Seal.
func Unseal(file string, b []byte, v any) error {
	var s sealed
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("%s: %w: %d bytes that are no sealed JSON: %w", file, ErrDamaged, len(b), err)
	}
	var plain bytes.Buffer
	if err := json.Compact(&plain, s.Content); err != nil {
		return fmt.Errorf("%s: %w: it has no content", file, ErrDamaged)
	}
	if got := sumText(plain.Bytes()); got != s.CRC {
		return fmt.Errorf("%s: %w: checksum %s, want %q", file, ErrDamaged, got, s.CRC)
	}
	if err := json.Unmarshal(s.Content, v); err != nil {
		return fmt.Errorf("%s: %w", file, JSONError(err))
	}
	return nil
}
