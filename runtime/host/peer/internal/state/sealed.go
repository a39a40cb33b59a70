package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime/wire"
)

// sealed is JSON as the state directory has it: with a checksum, so that a damaged
// file is not taken for another one.
type sealed struct {
	CRC     string          `json:"crc32c"` // of the content without white space
	Content json.RawMessage `json:"content"`
}

// ErrDamaged is why a file of the state directory is not used: it holds something else
// than was written.
var ErrDamaged = errors.New("damaged")

// Seal makes a sealed file of a value.
func Seal(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	b, err = json.MarshalIndent(sealed{sumText(b), b}, "", "\t")
	return append(b, '\n'), err
}

func sumText(b []byte) string { return fmt.Sprintf("%08x", wire.CRC(b)) }

// Unseal reads what seal has written.
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
