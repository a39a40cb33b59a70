package remote

import (
	"fmt"
	"sync"
)

// names is the names of servers in this process.
var names = struct {
	sync.Mutex
	addresses map[string]string
}{addresses: map[string]string{}}

// Name gives a server's address, or an invitation to it, a name that can be used in [Config.Address]. The
// address of a name cannot change.
func Name(name, address string) error {
	if _, err := parse(address); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	names.Lock()
	defer names.Unlock()
	if have, ok := names.addresses[name]; ok && have != address {
		return fmt.Errorf("the name %q stands for %s already", name, have)
	}
	names.addresses[name] = address
	return nil
}

// resolve returns the address with a name, or the text itself if it is not a name.
func resolve(text string) string {
	names.Lock()
	defer names.Unlock()
	if a, ok := names.addresses[text]; ok {
		return a
	}
	return text
}
