#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace example {

template <typename T>
class pool final : public base {
public:
    explicit pool(std::size_t size) noexcept : size_(size) {}
    pool(const pool&) = delete;
    virtual ~pool() = default;

    std::unique_ptr<T> make() const {
        if (items_.empty()) {
            throw std::runtime_error("pool is empty: " + std::to_string(size_));
        }
        return std::make_unique<T>(items_.front());
    }

private:
    std::vector<T> items_;
    std::size_t size_ = 0;
};

}  // namespace example

TEST_CASE("pool", "[pool]") {
    auto p = example::pool<int>(4);
    REQUIRE(p.make() != nullptr);
}
