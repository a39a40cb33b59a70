package peer

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

var errDamaged = errors.New("damaged")

func seal(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	b, err = json.MarshalIndent(sealed{sumText(b), b}, "", "\t")
	return append(b, '\n'), err
}

func sumText(b []byte) string { return fmt.Sprintf("%08x", wire.CRC(b)) }

// unseal reads what seal has written.
func unseal(file string, b []byte, v any) error {
	var s sealed
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("%s: %w: %d bytes that are no sealed JSON: %w", file, errDamaged, len(b), err)
	}
	var plain bytes.Buffer
	if err := json.Compact(&plain, s.Content); err != nil {
		return fmt.Errorf("%s: %w: it has no content", file, errDamaged)
	}
	if got := sumText(plain.Bytes()); got != s.CRC {
		return fmt.Errorf("%s: %w: checksum %s, want %q", file, errDamaged, got, s.CRC)
	}
	if err := json.Unmarshal(s.Content, v); err != nil {
		return fmt.Errorf("%s: %w", file, inWords(err))
	}
	return nil
}
