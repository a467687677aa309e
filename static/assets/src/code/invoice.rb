# frozen_string_literal: true

require 'csv'
require 'date'

module Billing
  # An invoice with its lines.
  class Invoice < Document
    TAX_RATES = { standard: 0.19, reduced: 0.07 }.freeze

    attr_reader :number, :lines
    attr_accessor :paid_at

    def initialize(number, lines: [], **options)
      super(options)
      @number = number
      @lines = lines
    end

    def self.from_csv(path)
      rows = CSV.read(path, headers: true).map { |row| row.to_h.transform_keys(&:to_sym) }
      new(File.basename(path, '.csv'), lines: rows)
    end

    def total
      return 0 if lines.empty?

      lines.sum { |line| line[:price] * (1 + TAX_RATES.fetch(line[:tax], 0)) }.round(2)
    end

    def each(&block)
      return enum_for(:each) unless block_given?

      @lines.each_with_index do |line, index|
        yield line, index unless line.nil?
      end
    rescue KeyError => e
      raise InvalidLine, "line #{e.key} is incomplete"
    end

    private

    def paid?
      !paid_at.nil? && paid_at <= Date.today
    end
  end
end
