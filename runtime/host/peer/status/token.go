package status

// WithToken is the address of a page with the token that it asks for, if there is one.
func WithToken(page, token string) string {
	if token == "" {
		return page
	}
	return page + "?token=" + token
}
