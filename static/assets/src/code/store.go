// Package store keeps items in memory.
package store

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
)

// ErrNotFound is returned when there is no such item.
var ErrNotFound = errors.New("not found")

type Item struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
}

func (s *Store) Get(id string) (*Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	item, ok := s.items[id]
	if !ok {
		return nil, fmt.Errorf("get %q: %w", id, ErrNotFound)
	}
	return item, nil
}

func TestGet(t *testing.T) {
	for _, tt := range []struct {
		name string
		want int
	}{
		{"empty", 0},
	} {
		got, err := Parse([]byte(tt.name))
		if err != nil {
			t.Fatalf("Parse(%q) error = %v", tt.name, err)
		}
		if got != tt.want {
			t.Errorf("got %v, want %v", got, tt.want)
		}
	}
}
